const sequences = [
  // OSC, ended by BEL or ST; also an unfinished one up to the end of the line
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/g,
  // DCS, SOS, PM, APC
  /(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*(?:\u001b\\|\u009c)?/g,
  // CSI with private, colon and intermediate bytes
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g,
  // charset selection and other escapes with intermediate bytes
  /\u001b[ -/]+[0-~]/g,
  // two-byte escapes
  /\u001b[0-~]/g,
  // 8-bit C1 controls
  /[\u0080-\u009f]/g,
];

/** Text without terminal escape sequences. */
export function stripAnsi(text: string): string {
  if (!/[\u001b\u0080-\u009f]/.test(text)) return text;
  let plain = text;
  for (const sequence of sequences) plain = plain.replace(sequence, "");
  return plain;
}
