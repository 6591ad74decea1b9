const longLived = [
  /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b/,
  /^docker(?:-|\s+)compose\s+up\b(?!.*\s(?:-d|--detach)\b)/,
  /^(?:npx\s+|bunx\s+)?next\s+dev\b/,
  /^(?:npx\s+|bunx\s+)?vite(?:\s+(?:dev|serve)\b|\s*$|\s+-)/,
  /^(?:npx\s+|bunx\s+)?nodemon\b/,
  /^(?:uvicorn|gunicorn)\b/,
  /^python3?\s+-m\s+http\.server\b/,
];

/**
 * Why a command does not belong in the foreground, undefined when it does. Looks only at the shape of the command:
 * what may run at all is decided elsewhere.
 */
export function foregroundRefusal(command: string): string | undefined {
  const bare = withoutQuoted(command);
  if (/(?:^|\s)(?:--help|-h|--version)(?:\s|$)/.test(bare)) return undefined;
  const commands = bare.split(/&&|\|\||[;|&\n(]/).map((part) => part.trim().replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, ""));
  if (commands.some((part) => /^(?:nohup|setsid|disown)\b/.test(part))) {
    return "nohup, setsid and disown detach a command so that nobody can watch or end it";
  }
  if (hasBackgroundOperator(bare)) return "a command ended by & leaves a process that nobody can watch or end";
  if (commands.some((part) => longLived.some((pattern) => pattern.test(part)))) {
    return "this command runs until it is stopped";
  }
  return undefined;
}

/** Quoted text, comments and escaped characters replaced, so that only what the shell sees as syntax is left. */
function withoutQuoted(command: string): string {
  return command
    .replace(/\\[\s\S]/g, "_")
    .replace(/<<-?\s*(['"]?)(\w+)\1[^\n]*\n[\s\S]*?\n\s*\2(?=\n|$)/g, "_")
    .replace(/'[^']*'/g, "_")
    .replace(/"[^"]*"/g, "_")
    .replace(/(^|\s)#[^\n]*/g, "$1");
}

/** A lone `&` that is no part of `&&`, `>&`, `&>`, `<&` or `|&`. */
function hasBackgroundOperator(bare: string): boolean {
  return /(?<![&<>|])&(?![&>])/.test(bare);
}
