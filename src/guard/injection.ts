/** A sign that a text tries to steer the agent. */
export interface InjectionFinding {
  /** stable name, shown to people */
  id: string;
}

const patterns: { id: string; pattern: RegExp }[] = [
  {
    id: "prompt_injection",
    pattern:
      /ignore\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+)?(?:previous|all|above|prior)\s+(?:\w+\s+)?instructions/i,
  },
  { id: "deception_hide", pattern: /do\s+not\s+tell\s+the\s+user/i },
  { id: "sys_prompt_override", pattern: /system\s+prompt\s+override/i },
  { id: "disregard_rules", pattern: /disregard\s+(?:your|all|any)\s+(?:\w+\s+)?(?:instructions|rules|guidelines)/i },
  {
    id: "bypass_restrictions",
    pattern:
      /act\s+(?:as\s+if|as\s+though)\s+you\s+(?:have\s+no|don'?t\s+have)\s+(?:any\s+)?(?:restrictions|limits|rules)/i,
  },
  {
    id: "html_comment_injection",
    pattern: /<!--[^>]{0,500}\b(?:ignore|override|system|secret|hidden)\b[^>]{0,500}-->/i,
  },
  { id: "hidden_div", pattern: /<div[^>]{0,300}style\s*=\s*["'][^"']{0,300}display\s*:\s*none/i },
  { id: "translate_execute", pattern: /translate\s[^\n]{0,200}\sinto\s[^\n]{0,200}\sand\s+(?:execute|run|eval)\b/i },
  { id: "exfil_curl", pattern: /curl\s[^\n]{0,400}\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i },
  { id: "read_secrets", pattern: /\bcat\s[^\n]{0,200}(?:\.env\b|credentials|\.netrc|\.pgpass)/i },
];

const invisible = /[\u200b-\u200d\u2060\ufeff\u202a-\u202e]/g;

/** Signs of prompt injection in a text from outside, empty when there are none. A filter, not a proof. */
export function scanInjection(text: string): InjectionFinding[] {
  const found = patterns.filter((entry) => entry.pattern.test(text)).map(({ id }): InjectionFinding => ({ id }));
  const points = new Set([...text.matchAll(invisible)].map((match) => match[0].charCodeAt(0)));
  for (const point of points)
    found.push({ id: `invisible unicode U+${point.toString(16).toUpperCase().padStart(4, "0")}` });
  return found;
}
