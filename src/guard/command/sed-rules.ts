import { operands, optionValue, optionWords, isLong } from "./options.ts";
import type { Rule } from "./rule.ts";
import { checkWrite } from "./targets.ts";

/** `s/a/b/e`, `1e date`, `s/a/b/w file`: sed runs what they say, or writes another file */
const runningSed =
  /(?:^|[\n;{}])\s*(?:[\d$,~+]+\s*(?:e|w\s)|[ew](?=\s|$)|[\d$,~+!]*s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiIm0-9]*(?:e|w\s))/;
const longestSedScript = 2000;

export const sed: Rule = (argv, scope) => {
  const isInPlace = optionWords(argv).some(
    (word) => isLong(word, "in-place") || /^-[nErsuz]*i/i.test(word.value ?? ""),
  );
  const scripts = operands(argv);
  const texts = argv.map((word) => word.value ?? "");
  if (texts.some((text) => text.length > longestSedScript || runningSed.test(text))) {
    scope.findings.ask(
      "script execution via -e/-c flag",
      "the sed script runs commands or writes files, or is too long to be read",
    );
  }
  if (!isInPlace) return;
  const files = scripts.filter((word, index) => index > 0 || optionValue(argv, "e", "expression") !== undefined);
  for (const file of files) if (!file.glob) checkWrite(file, "in-place edit of system config", scope);
};
