/** Names that a broken writer of .env is known to have put behind another value on one line. */
const knownNames = new Set(
  (
    "AI_GATEWAY_API_KEY AI_GATEWAY_BASE_URL ANTHROPIC_API_KEY ANTHROPIC_TOKEN API_SERVER_KEY BROWSERBASE_API_KEY " +
    "BROWSERBASE_PROJECT_ID BROWSER_USE_API_KEY CLAUDE_CODE_OAUTH_TOKEN COPILOT_GITHUB_TOKEN DASHSCOPE_API_KEY " +
    "DASHSCOPE_BASE_URL DAYTONA_API_KEY DEEPSEEK_API_KEY DEEPSEEK_BASE_URL DISCORD_ALLOWED_USERS DISCORD_BOT_TOKEN " +
    "DISCORD_HOME_CHANNEL ELEVENLABS_API_KEY EMAIL_ADDRESS EMAIL_PASSWORD EXA_API_KEY FAL_KEY FEISHU_APP_ID " +
    "FEISHU_APP_SECRET FIRECRAWL_API_KEY FIRECRAWL_API_URL GATEWAY_ALLOWED_USERS GATEWAY_ALLOW_ALL_USERS GH_TOKEN " +
    "GITHUB_TOKEN GLM_API_KEY GLM_BASE_URL GROQ_API_KEY GROQ_BASE_URL HASS_TOKEN HASS_URL HERMES_INFERENCE_PROVIDER " +
    "HERMES_MAX_ITERATIONS HERMES_MODEL HERMES_TIMEZONE HF_BASE_URL HF_TOKEN HONCHO_API_KEY KILOCODE_API_KEY " +
    "KIMI_API_KEY KIMI_BASE_URL LM_API_KEY MATRIX_ACCESS_TOKEN MATRIX_HOMESERVER MATTERMOST_TOKEN MATTERMOST_URL " +
    "MESSAGING_CWD MINIMAX_API_KEY MINIMAX_BASE_URL MINIMAX_CN_API_KEY MINIMAX_CN_BASE_URL OPENAI_API_KEY " +
    "OPENAI_BASE_URL OPENCODE_GO_API_KEY OPENCODE_ZEN_API_KEY OPENROUTER_API_KEY OPENROUTER_BASE_URL " +
    "PARALLEL_API_KEY SIGNAL_ACCOUNT SIGNAL_HTTP_URL SLACK_ALLOWED_USERS SLACK_APP_TOKEN SLACK_BOT_TOKEN " +
    "SUDO_PASSWORD TAVILY_API_KEY TELEGRAM_ALLOWED_USERS TELEGRAM_BOT_TOKEN TELEGRAM_HOME_CHANNEL TERMINAL_CWD " +
    "TERMINAL_ENV TERMINAL_SSH_HOST TERMINAL_SSH_KEY TERMINAL_SSH_USER TERMINAL_TIMEOUT TINKER_API_KEY " +
    "TWILIO_ACCOUNT_SID TWILIO_AUTH_TOKEN VOICE_TOOLS_OPENAI_KEY WANDB_API_KEY WHATSAPP_ALLOWED_USERS " +
    "WHATSAPP_ENABLED ZAI_API_KEY Z_AI_API_KEY"
  ).split(" "),
);

/** A line that holds several assignments, from 1, and their names. */
export interface GluedLine {
  line: number;
  names: string[];
}

/**
 * The text of an .env file with lines such as `OPENAI_API_KEY=sk-1OPENAI_BASE_URL=http://h` taken apart: only where
 * the line begins with a known name and another known name with a `=` follows in its unquoted value.
 */
export function splitGluedLines(text: string): { text: string; glued: GluedLine[] } {
  if (!/=[^\n]*[A-Z]=/.test(text)) return { text, glued: [] };
  const glued: GluedLine[] = [];
  const lines = text.split("\n").map((line, index) => {
    const parts = partsOf(line);
    if (parts.length < 2) return line;
    glued.push({
      line: index + 1,
      names: parts.map((part) => part.replace(/^\s*(?:export\s+)?/, "").split("=", 1)[0] ?? ""),
    });
    return parts.join(line.endsWith("\r") ? "\r\n" : "\n");
  });
  return { text: lines.join("\n"), glued };
}

function partsOf(line: string): string[] {
  const head = /^\s*(?:export\s+)?([A-Z0-9_]+)=(?!["'])/.exec(line);
  if (head === null || !knownNames.has(head[1] ?? "")) return [line];
  const starts = [0];
  const names = /[A-Z0-9_]+=/g;
  names.lastIndex = head[0].length;
  for (let match = names.exec(line); match !== null; match = names.exec(line)) {
    const name = longestKnownEnd(match[0].slice(0, -1));
    if (name !== undefined) starts.push(match.index + match[0].length - 1 - name.length);
  }
  return starts.map((start, index) => line.slice(start, starts[index + 1]));
}

/** `222GITHUB_TOKEN` ends in `GITHUB_TOKEN`; what stands before it belongs to the value in front. */
function longestKnownEnd(run: string): string | undefined {
  for (let start = 0; start < run.length; start += 1) {
    const name = run.slice(start);
    // X_GLM_API_KEY is another name, not a value followed by one
    if (knownNames.has(name)) return run.charAt(start - 1) === "_" ? undefined : name;
  }
  return undefined;
}
