import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "../base/env.ts";
import { errorMessage, HermesError } from "../base/errors.ts";
import { systemClock } from "../base/time.ts";
import { oneLine, stripControls } from "../base/text.ts";
import type { TurnResult } from "../agent/index.ts";
import type { ResolvedModel } from "../models/index.ts";
import type { AgentEvent } from "../plugin/events.ts";
import { denyAll } from "../plugin/interaction.ts";
import { createRuntime, type Runtime } from "../runtime/index.ts";
import { demoScript, firstQuestion, projectFiles, secondQuestion } from "./demo-script.ts";
import { resultText } from "../tools/index.ts";
import { createScriptedModel } from "./scripted-model.ts";

export interface DemoOptions {
  write(text: string): void;
  colors: boolean;
  /** wait between pieces of text, in ms */
  paceMs: number;
  /** stops the demo; its folder is removed all the same */
  signal: AbortSignal;
}

/**
 * Plays two sessions in a temporary home with a scripted model and the real loop, tools, store and search.
 * @throws {HermesError} E_DEMO_FOLDER when there is no place for temporary files
 * @returns 0 when the check was really mended and the second session really found the first, 130 when stopped, else 1
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const world = makeFolder();
  const dim = dimmer(options);
  const project = join(world, "lemonade");
  try {
    mkdirSync(project);
    for (const [name, text] of Object.entries(projectFiles)) writeFileSync(join(project, name), text);
    options.write(
      "hermes demo: the model is scripted, everything else is real — the loop, the tools, the guard,\nthe database and the search. Nothing leaves this machine; your own ~/.hermes is not touched.\n",
    );
    const runtime = await createRuntime({
      home: join(world, "home"),
      environment: processEnvironment(),
      clock: systemClock(),
      notice: (_, text) => options.write(dim(`  · ${text}\n`)),
      injectedModel: scriptedModel(options.paceMs),
    });
    try {
      const mended = await play(runtime, project, firstQuestion, options);
      if (options.signal.aborted) return 130;
      const recalled = await play(runtime, project, secondQuestion, options);
      if (options.signal.aborted) return 130;
      const proven =
        mended.text.includes("check passed: 36 cups") &&
        recalled.text.includes("The sign in the loop of total.sh was wrong");
      options.write(
        proven
          ? `\nThe first session took ${mended.modelCalls} model calls and ${mended.toolCalls} tool calls; the second found it by search.\nNext: hermes doctor, then hermes\n`
          : "\nThe demo did not reach its goal on this machine. Please report what you see above.\n",
      );
      return proven ? 0 : 1;
    } finally {
      await runtime.close();
    }
  } finally {
    rmSync(world, { recursive: true, force: true });
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "hermes-demo-"));
  } catch (error) {
    throw new HermesError("E_DEMO_FOLDER", `no folder for the demo in ${tmpdir()}: ${errorMessage(error)}`, {
      hint: "set TMPDIR to a folder that can be written",
      cause: error,
    });
  }
}

function dimmer(options: DemoOptions): (text: string) => string {
  return (text) => (options.colors ? `\u001b[2m${text}\u001b[0m` : text);
}

function scriptedModel(paceMs: number): ResolvedModel {
  return {
    provider: "demo",
    providerName: "Demo",
    model: "scripted",
    baseUrl: "",
    hasKey: false,
    local: true,
    contextTokens: 128_000,
    contextKnown: true,
    client: createScriptedModel(demoScript, paceMs),
  };
}

async function play(runtime: Runtime, cwd: string, question: string, options: DemoOptions): Promise<TurnResult> {
  const dim = dimmer(options);
  const open = await runtime.openSession({ source: "cli", cwd });
  try {
    options.write(`\n› ${question}\n`);
    return await open.run(
      { parts: [{ type: "text", text: question }] },
      {
        interaction: denyAll("the demo asks nobody"),
        emit: createEmitter(options, dim),
        signal: options.signal,
      },
    );
  } finally {
    options.write(dim(`  session ${open.session.id}\n`));
    await open.close();
  }
}

function createEmitter(options: DemoOptions, dim: (text: string) => string): (event: AgentEvent) => void {
  return (event) => {
    if (event.type === "text-delta") options.write(event.text);
    if (event.type === "tool-start") options.write(`\n${dim(`  ▸ ${event.name} ${event.preview}`)}\n`);
    if (event.type === "tool-end")
      options.write(dim(`  ${event.isError ? "✗" : "✓"} ${oneLine(stripControls(resultText(event.result)), 100)}\n`));
    if (event.type === "turn-end")
      options.write(`\n${event.error === undefined ? "" : `error: ${event.error.message}\n`}`);
  };
}
