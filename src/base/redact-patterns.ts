/** One kind of secret, recognized by its shape. No match crosses a line end. */
export interface RedactRule {
  /** skipped in source code, where the shape is ordinary */
  notInCode?: boolean;
  apply(text: string): string;
}

/**
 * Hides a secret: `***` below 18 characters, else the first 6 and the last 4 around `...`.
 * What is masked already, or only names a variable, is kept.
 */
export function maskSecret(value: string): string {
  if (isHidden(value)) return value;
  return value.length < 18 ? "***" : `${value.slice(0, 6)}...${value.slice(-4)}`;
}

/** A secret for status displays: first 4 and last 4 from 12 characters on, else `***`; `(not set)` when empty. */
export function maskForStatus(value: string | undefined): string {
  if (value === undefined || value === "") return "(not set)";
  return value.length < 12 ? "***" : `${value.slice(0, 4)}...${value.slice(-4)}`;
}

function isHidden(value: string): boolean {
  const isMasked = value === "***" || (value.length === 13 && value.slice(6, 9) === "...");
  const isReference = /^\$(?:\{[A-Za-z_]\w*\}|[A-Z_][A-Z0-9_]*$|\()/.test(value) || /^<[^<>]*>$/.test(value);
  return isMasked || isReference;
}

const tokenBody = "[A-Za-z0-9_-]";
const prefixedToken = new RegExp(
  `(?<!${tokenBody})(?:${[
    `(?:sk[-_]|gh[opusr]_|github_pat_|xox[baprs]-|pplx-|fal_|fc-|bb_live_|rk_live_|hf_|r8_|npm_|pypi-)${tokenBody}{10,}`,
    `(?:do[po]_v1_|am_|tvly-|exa_|gsk_|syt_|hsk-|mem0_|brv_|ntn_|retaindb_|glpat-)${tokenBody}{10,}`,
    `AIza${tokenBody}{30,}`,
    `xai-${tokenBody}{30,}`,
    `gAAAA${tokenBody}{20,}`,
    `AKIA[A-Z0-9]{16}`,
    `SG\\.[A-Za-z0-9_.-]{10,}`,
  ].join("|")})(?!${tokenBody})`,
  "g",
);

const jsonNames =
  "api_?key|token|secret|password|passwd|(?:access|refresh|auth|id|session)_?token|client_?secret|bearer|secret_value|raw_secret|secret_input|key_material|private_key";
const jsonField = new RegExp(`"(${jsonNames})"[ \\t]*:[ \\t]*"((?:[^"\\\\\\n]|\\\\[^\\n])+)`, "gi");
const escapedJsonField = new RegExp(`(\\\\"(?:${jsonNames})\\\\"[ \\t]*:[ \\t]*\\\\")([^"\\\\\\n]+)`, "gi");

const environmentName =
  "(?<![A-Za-z0-9_])[A-Z0-9_]{0,64}(?:API_?KEY|TOKEN(?!S=\\d)|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR))[A-Z0-9_]{0,64}=";
const environmentAssignments = [
  new RegExp(`(${environmentName}")([^"\\n]+)`, "g"),
  new RegExp(`(${environmentName}')([^'\\n]+)`, "g"),
  new RegExp(`(${environmentName})([^\\s"'\`=][^\\s"'\`]*)`, "g"),
];

const header = /(authorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+)([^\s"',;]+)/gi;
const keyHeader = /((?:x-api-key|x-goog-api-key|x-auth-token)["']?[ \t]*:[ \t]*["']?)([^\s"',;]+)/gi;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{4,}\.eyJ[\w-]{4,}\.[\w-]+/g;
const telegramToken = /(?<!\d)(\d{8,20}):[A-Za-z0-9_-]{30,}/g;
const urlPassword = /(:\/\/[^\s:@/?#"'<>]*:)([^\s/?#"'<>]+)@/g;
const phone = /(?<![A-Za-z0-9])\+[1-9]\d{6,14}(?![A-Za-z0-9])/g;
const formBody = /(?<![^\s"'`(])[\w.%-]{1,100}=[^\s"'`&]*(?:&[\w.%-]{1,100}=[^\s"'`&]*)+/g;
const formField =
  /(?<![^&])((?:password|passwd|token|secret|api_?key|client_secret|(?:access|refresh|auth|id)_token)=)([^&]+)/gi;

/** In the order in which they are applied; private key blocks and held values come before. */
export const redactRules: RedactRule[] = [
  { apply: (text) => text.replace(urlPassword, (_, start: string, value: string) => `${start}${maskShort(value)}@`) },
  { apply: (text) => text.replace(prefixedToken, maskSecret) },
  { apply: (text) => text.replace(jsonWebToken, maskSecret) },
  { apply: (text) => text.replace(telegramToken, "$1:***") },
  { apply: (text) => text.replace(header, keepStart) },
  { apply: (text) => text.replace(keyHeader, keepStart) },
  ...environmentAssignments.map((pattern) => ({
    notInCode: true,
    apply: (text: string) => text.replace(pattern, keepStart),
  })),
  {
    notInCode: true,
    apply: (text) => text.replace(jsonField, (_, name: string, value: string) => `"${name}": "${maskSecret(value)}`),
  },
  { notInCode: true, apply: (text) => text.replace(escapedJsonField, keepStart) },
  { notInCode: true, apply: (text) => text.replace(formBody, (body) => body.replace(formField, keepStart)) },
  { apply: (text) => text.replace(phone, maskPhone) },
];

/** What may be the beginning of a match that goes on after white space; tested against the end of a line so far. */
export const openMatches: RegExp[] = [
  /authorization["']?[ \t]*(?:[:=][ \t]*["']?(?:(?:bearer|basic|token)[ \t]*)?)?$/i,
  /(?:x-api-key|x-goog-api-key|x-auth-token)["']?[ \t]*(?::[ \t]*)?$/i,
  new RegExp(`"(?:${jsonNames})"[ \\t]*(?::[ \\t]*(?:"(?:[^"\\\\\\n]|\\\\[^\\n])*)?)?$`, "i"),
  new RegExp(`\\\\"(?:${jsonNames})\\\\"[ \\t]*(?::[ \\t]*(?:\\\\"[^"\\\\\\n]*)?)?$`, "i"),
  new RegExp(`${environmentName}(?:"[^"\\n]*|'[^'\\n]*)$`),
];

function keepStart(_match: string, start: string, value: string): string {
  return `${start}${maskSecret(value)}`;
}

function maskShort(value: string): string {
  return isHidden(value) ? value : "***";
}

function maskPhone(number: string): string {
  const shown = number.length <= 8 ? 2 : 4;
  return `${number.slice(0, shown)}****${number.slice(-shown)}`;
}
