/** The text below `## [version]`, without the heading. @throws Error when there is no such section */
export function sectionOf(changelog: string, version: string): string {
  const start = changelog.split("\n").findIndex((line) => line.startsWith(`## [${version}]`));
  if (start === -1) throw new Error(`CHANGELOG.md has no section [${version}]`);
  const rest = changelog.split("\n").slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("## ["));
  return (end === -1 ? rest : rest.slice(0, end)).join("\n").trim();
}

/**
 * Turns `[Unreleased]` into a section of a version and opens an empty one above it.
 * @param date YYYY-MM-DD
 * @throws Error when nothing is unreleased, or the version is there already
 */
export function cutChangelog(changelog: string, version: string, date: string): string {
  if (changelog.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has a section [${version}] already`);
  if (sectionOf(changelog, "Unreleased") === "") throw new Error("CHANGELOG.md: nothing is written below [Unreleased]");
  return changelog.replace("## [Unreleased]", () => `## [Unreleased]\n\n## [${version}] - ${date}`);
}
