/** Makes text that is distributed like real conversations, the same for the same seed. */

const englishHeads =
  "error file server build test user config docker deploy python database query report email invoice meeting " +
  "schedule budget flight hotel recipe garden printer network password backup script function module branch commit " +
  "merge review release version install update package cluster ingress certificate token request response cache " +
  "memory process thread timeout retry queue worker stream parser schema migration index search model training " +
  "dataset chart table column formula translation summary paragraph chapter lesson exercise doctor pharmacy train";
const chineseHeads =
  "数据库 服务器 配置 文件 错误 测试 部署 网络 密码 备份 脚本 函数 模块 版本 安装 更新 缓存 内存 进程 超时 队列 索引 搜索 模型 训练 报告 会议 预算 " +
  "航班 酒店 菜谱 花园 打印机 证书 请求 响应 迁移 翻译 总结 章节 练习 医生 药店 火车 旅游 桂林 广西 北京 上海 发票 邮件 日程 问题 方法 结果 原因";
const fillers = "the a of to and in is it that we for on with this was be as at are you can not have from but or will";
const chineseFillers = "的 了 在 是 我们 这个 可以 然后 已经 需要 还是 就 也 都 和 把 对 从";
const syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro sa te vi wo xa ye zu bri cho dra fle gru".split(" ");
const characters = [
  ..."山水火木金土日月星云风雨雪花草树鸟鱼马牛羊虎龙城市乡村道路桥梁房屋学校医院工厂商店车船飞机电脑手机书笔纸画音乐舞蹈歌曲故事历史文化科学技术数学物理化学生物地理语言文字思想感情健康运动食物饮料衣服鞋帽",
];

export type Random = () => number;

/** A small generator of pseudo-random numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Corpus {
  english(words: number): string;
  chinese(words: number): string;
  /** a word as it occurs, frequent ones more often */
  englishWord(): string;
  chineseWord(): string;
}

export function createCorpus(random: Random): Corpus {
  const pick = <Item>(items: Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const made = (parts: string[], count: number): string => Array.from({ length: count }, () => pick(parts)).join("");
  const english = [
    ...englishHeads.split(" "),
    ...Array.from({ length: 20_000 }, () => made(syllables, 2 + Math.floor(random() * 3))),
  ];
  const chinese = [
    ...chineseHeads.split(" "),
    ...Array.from({ length: 8000 }, () => made(characters, 2 + Math.floor(random() * 2))),
  ];
  const englishFillers = fillers.split(" ");
  const chineseFillerWords = chineseFillers.split(" ");
  // Zipf: the n-th word occurs in proportion to 1/n
  const ranked = (words: string[]): string => words[Math.floor(words.length ** random()) - 1] ?? words[0] ?? "";
  const text = (word: () => string, filler: string[], count: number, blank: string): string =>
    Array.from({ length: count }, () => (random() < 0.45 ? pick(filler) : word())).join(blank);
  const englishWord = (): string => ranked(english);
  const chineseWord = (): string => ranked(chinese);
  return {
    english: (words) => `${text(englishWord, englishFillers, words, " ")}.`,
    chinese: (words) => `${text(chineseWord, chineseFillerWords, words, "")}。`,
    englishWord,
    chineseWord,
  };
}
