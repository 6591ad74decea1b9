/** Words that say nothing about the subject of a question. Lower case. */
const english =
  "a about again all also am an and any are as at be because been before being but by can could did didn do does " +
  "doing don done for from get give go got had has have he her here him his how i if in into is isn it its just last " +
  "let like ll made make may me might mine more most much my need no not now of off on once one only or other our " +
  "out over own please put re s same say said she should show so some such t tell than that the their them then " +
  "there these they thing things this those time to too told up us use used ve very was we were what when where " +
  "which while who whom why will with would yes you your yours ago find remember earlier talked discussed " +
  "conversation session chat";

/** Chinese words that carry no subject, longest first, so that a longer one is cut before its part. */
const chinese =
  "为什么 是什么 什么时候 怎么样 怎么办 有没有 能不能 是不是 可不可以 我们 你们 他们 她们 它们 咱们 什么 怎么 怎样 如何 哪里 哪个 哪些 哪儿 " +
  "多少 这个 那个 这些 那些 这里 那里 这样 那样 上次 之前 以前 刚才 一下 一个 一些 时候 可以 能够 应该 需要 已经 还是 或者 " +
  "以及 因为 所以 但是 如果 然后 就是 不是 没有 请问 帮我 告诉 关于 记得 说过 讨论 谈到 " +
  "的 了 吗 呢 吧 啊 我 你 他 她 它 是 在 有 和 与 或 也 都 就 还 又 把 被 给 对 从 到 个 这 那 哪 谁 请 过 着 得 地 么 很 要 会 能 想 让 去 来 做 说 用";

const englishWords = new Set(english.split(" "));
const chineseWords = new RegExp(
  chinese
    .split(" ")
    .sort((left, right) => right.length - left.length)
    .join("|"),
  "gu",
);

export function isStopWord(word: string): boolean {
  return englishWords.has(word.toLowerCase());
}

/** What is left of an unspaced run between its stop words. */
export function cutStopWords(run: string): string[] {
  return run.split(chineseWords).filter((rest) => rest !== "");
}
