import { describe, expect, test } from "bun:test";
import { judge } from "./place.ts";

describe("what never runs is found behind what the line itself says", () => {
  test.each([
    "{rm,-rf,/}",
    "{r,x}m -rf /; {rm,-r,-f} /",
    "rm -rf /{usr,etc}",
    "rm -rf /{,}",
    "rm -rf {/etc,build}",
    "rm -rf /{u,v}{sr,ar}",
    "rm -rf /{a..c} {~,x}",
    "rm -{r,f} /",
    "d=/; rm -rf $d",
    'd=/ && rm -rf "$d"',
    "export d=/; rm -rf $d",
    "readonly d=/; rm -rf ${d}",
    "local d=/; rm -rf $d",
    "x=rm; $x -rf /",
    "x='rm -rf /'; $x",
    "x='rm -rf /'; eval \"$x\"",
    "x='rm -rf /'; bash -c \"$x\"",
    "a=r; b=m; $a$b -rf /",
    "d=/; e=$d; rm -rf $e",
    "d=/e; d+=tc; rm -rf $d",
    "d=/; cd $d && rm -rf *",
    "if true; then d=/; else d=/tmp/x; fi; rm -rf $d",
    "for d in /tmp/x /; do rm -rf $d; done",
    'a=(rm -rf /); "${a[@]}"',
    'set -- rm -rf /; "$@"',
    "set -- /; rm -rf $1",
    "printf -v d /; rm -rf $d",
    "rm -rf ${unset:-/}",
    "rm -rf $(echo /)",
    "$(echo rm) -rf /",
    "$(printf 'r%s' m) -rf /",
    "rm -rf `printf '\\057'`",
    "d=/dev/sda; echo x > $d",
    "echo / | xargs rm -rf",
    "echo /etc | xargs -n1 rm -rf",
    "printf '/\\n' | xargs -I{} rm -rf {}",
    "printf '/\\0' | xargs -0 rm -rf",
    "xargs rm -rf <<< /",
    "xargs rm -rf <<EOF\n/\nEOF",
    "echo / | sort | xargs sudo rm -rf",
    "echo '/' | xargs -I% sh -c 'rm -rf %'",
    "echo / | while read d; do rm -rf $d; done",
    "echo 'rm -rf /' | sh",
    "echo 'rm -rf /' | tee x | bash",
    "echo -e '\\x72m -rf /' | sh",
    "printf '\\x72\\x6d -rf /' | sh",
    'env -S "rm -rf /"',
    'env -S"rm -rf" /',
    'env -iS "A=1 rm -rf /"',
    "env --split-string='rm -rf /'",
    "env -S 'rm\\_-rf\\_/'",
    'env -S "\'rm\' -rf \\"/\\""',
    "env -S 'sh -c \"rm -rf /\"'",
  ])("%s", (command) => {
    expect(judge(command).verdict).toBe("refuse");
  });
});

describe("words that only could be dangerous stay below the hard list", () => {
  test.each([
    "{rm,-rf,build}",
    "rm -rf /tmp/{a,b}",
    "d=/tmp/x; rm -rf $d",
    "d=/; d=/tmp/x; rm -rf $d",
    "(d=/); rm -rf $d",
    "d=/; read d; rm -rf $d",
    "d=/; unset d; rm -rf $d",
    "rm -rf $d",
    "rm -rf '{/,x}'",
    "echo build | xargs rm -rf",
    "env -S 'ls -la'",
    "echo ls | sh",
  ])("%s asks", (command) => {
    expect(judge(command).verdict).toBe("ask");
  });

  test.each([
    "echo {1..1000000}",
    "mkdir -p src/{a,b}/{c,d}",
    "for i in {1..100000}; do echo $i; done",
    'd=/; ls $d; echo "$d"',
    "cp a{,.bak}",
    "echo / | xargs ls",
    "x=1; echo $((x + 1)) ${x:-2}",
    "git log --format='%h{a,b}'",
  ])("%s runs", (command) => {
    expect(judge(command).verdict).toBe("safe");
  });
});

describe("braces and variables that would grow without end come back", () => {
  test.each([
    `echo ${"{a,b}".repeat(300)}`,
    `echo ${"{a,".repeat(900)}b${"}".repeat(900)}`,
    `echo ${"{a,b}{1..9}".repeat(100)}`,
    `rm -rf ${Array.from({ length: 300 }, (_, index) => `{a${index},b}`).join(" ")}`,
  ])("%#", (command) => {
    expect(judge(command).verdict).toBe("ask");
  });

  test("a value that doubles with each assignment", () => {
    const doubled = Array.from({ length: 300 }, () => "a=$a$a").join(";");
    expect(judge(`a=xxxxxxxx;${doubled};ls $a`).verdict).not.toBe("refuse");
  });
});
