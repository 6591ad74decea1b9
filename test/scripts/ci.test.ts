import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs .ci/run in a folder where `npm test` prints this and ends with this code. */
async function runCi(output: string, code: number): Promise<{ code: number; lastLine: string }> {
  const world = mkdtempSync(join(tmpdir(), "hermes-ci-"));
  try {
    mkdirSync(join(world, ".ci"));
    mkdirSync(join(world, "bin"));
    copyFileSync(join(import.meta.dir, "../../.ci/run"), join(world, ".ci/run"));
    writeFileSync(join(world, "output"), output);
    const npm = join(world, "bin/npm");
    writeFileSync(npm, `#!/bin/sh\n[ "$1" = ci ] && exit 0\ncat "${world}/output"\nexit ${code}\n`);
    chmodSync(npm, 0o755);
    const child = Bun.spawn(["bash", "-c", `"${world}/.ci/run" <&-`], {
      stdout: "pipe",
      stderr: "ignore",
      env: { PATH: `${world}/bin:${process.env["PATH"] ?? ""}`, HOME: world },
    });
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, lastLine: text.trimEnd().split("\n").at(-1) ?? "" };
  } finally {
    rmSync(world, { recursive: true, force: true });
  }
}

test.each([
  [" 12 pass\n 0 fail\n", 0, "12 passed, 0 failed", 0],
  [" 12 pass\n 1 fail\n", 1, "12 passed, 1 failed", 1],
  [" 5 pass\n 0 fail\n\u001b[32m 7 pass\u001b[0m\n\u001b[2m 2 fail\u001b[0m\n", 1, "12 passed, 2 failed", 1],
  [" 3 pass\n 0 fail\n 1 error\n", 1, "3 passed, 1 failed", 1],
  ["src/x.ts(1,1): error TS2304\n", 2, "0 passed, 1 failed", 1],
  ["nothing\n", 0, "0 passed, 1 failed", 1],
  ["(pass) a test that prints 9 pass\n 1 pass\n 0 fail\n", 0, "1 passed, 0 failed", 0],
])("of %j with code %d it says %s", async (output, code, lastLine, exitCode) => {
  expect(await runCi(output, code)).toEqual({ code: exitCode, lastLine });
});
