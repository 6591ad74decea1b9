import { defineCommand } from "citty";

const json = { type: "boolean", description: "machine-readable" } as const;

const show = defineCommand({
  meta: { name: "show", description: "Settings that differ from their default; with KEY or --all more" },
  args: {
    key: { type: "positional", required: false, description: "only this setting or section", valueHint: "KEY" },
    all: { type: "boolean", description: "every setting" },
    json,
  },
  async run({ args }) {
    const { showSettings } = await import("../config-report.ts");
    process.stdout.write(`${showSettings({ key: args.key, all: args.all === true, json: args.json === true })}\n`);
  },
});

const get = defineCommand({
  meta: { name: "get", description: "Print one setting" },
  args: { key: { type: "positional", required: true, description: "like model.default", valueHint: "KEY" }, json },
  async run({ args }) {
    const { getSetting } = await import("../config-report.ts");
    process.stdout.write(`${getSetting(args.key, args.json === true)}\n`);
  },
});

const set = defineCommand({
  meta: { name: "set", description: "Change one setting; keys and tokens go to .env" },
  args: {
    key: { type: "positional", required: true, description: "like model.default or OPENAI_API_KEY", valueHint: "KEY" },
    value: { type: "positional", required: true, description: 'the value; "" empties it', valueHint: "VALUE" },
  },
  async run({ args }) {
    const { changeSetting } = await import("../config-change.ts");
    changeSetting(args.key, args.value);
  },
});

const unset = defineCommand({
  meta: { name: "unset", description: "Take one setting out of its file, so that its default counts" },
  args: {
    key: { type: "positional", required: true, description: "like model.default or OPENAI_API_KEY", valueHint: "KEY" },
  },
  async run({ args }) {
    const { removeSetting } = await import("../config-change.ts");
    removeSetting(args.key);
  },
});

const edit = defineCommand({
  meta: { name: "edit", description: "Open config.yaml in $VISUAL or $EDITOR, and check it afterwards" },
  async run() {
    const { editSettings } = await import("../config-change.ts");
    return await editSettings();
  },
});

const path = defineCommand({
  meta: { name: "path", description: "Where config.yaml and .env are" },
  args: { json },
  async run({ args }) {
    const { settingsPaths } = await import("../config-report.ts");
    process.stdout.write(`${settingsPaths(args.json === true)}\n`);
  },
});

const check = defineCommand({
  meta: { name: "check", description: "Look for mistakes in config.yaml and .env" },
  args: { json },
  async run({ args }) {
    const { checkSettings } = await import("../config-report.ts");
    const { text, code } = checkSettings(args.json === true);
    process.stdout.write(`${text}\n`);
    return code;
  },
});

export default defineCommand({
  meta: { name: "config", description: "Settings in config.yaml and .env" },
  subCommands: { show, get, set, unset, edit, path, check },
});
