import { DIALECTS } from '../dialects/registry.ts'
import { VENDOR_NAMES } from '../vendors/registry.ts'
import { WIRES } from '../wires/registry.ts'
import { TARGET_NAMES } from './target.ts'

/** The text that `millrace help` prints about one command. */
export interface Help {
  readonly usage: string
  readonly summary: string
  /** Everything after the usage. */
  readonly text: string
}

const dialects = Object.keys(DIALECTS).join('|')

/** Formats a list of names as lines below a heading. */
function listed(heading: string, names: readonly string[]): string {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length > 100) lines.push(name)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return `${heading}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`
}

const SERVE: Help = {
  usage: 'millrace serve [--config FILE]',
  summary: 'starts the server',
  text: `Starts the server. SIGTERM ends it when its streams have finished, SIGHUP reads the configuration again.

options:
  --config FILE   the configuration, JSON; left out: the file that MILLRACE_CONFIG names, or none

example:
  PORT=8787 millrace serve --config millrace.json
`,
}

const TRANSLATE: Help = {
  usage: 'millrace translate --from WIRE --to TARGET [options] FILE...',
  summary: 'translates recorded upstream bytes',
  text: `Translates recorded upstream bytes. A FILE that ends in .json is a whole body, each other one a stream; - is the standard
input, a whole body where it begins with {. What is cut off, or is no answer of that wire, is reported on the standard error.

options:
  --from WIRE      the protocol of the recording
  --to TARGET      what it is translated to
  --vendor NAME    the vendor whose quirks the recording has; left out: none
  --collect        the response object, or the wire's body, in place of a stream
  --pieces BYTES   the size of the pieces in which a stream is read, default 16384
  --out DIR        writes DIR/<name>.<to>.sse (or .ndjson), or with --collect DIR/<name>.response.json (of a wire
                   DIR/<name>.<wire>.json); left out: the standard output

${listed('WIRE', Object.keys(WIRES))}
${listed('TARGET', TARGET_NAMES)}
${listed('vendors', VENDOR_NAMES)}
examples:
  millrace translate --from openai-chat --to openai recording.sse
  curl -sN … | millrace translate --from anthropic-messages --to beta -
`,
}

const CHECK: Help = {
  usage: `millrace check [--dialect ${dialects}] [FILE...]`,
  summary: 'checks Responses streams against the grammar',
  text: `Checks Responses streams against the grammar, and prints event, rule and reason of each violation. Without a FILE, or
for -, it reads the standard input. Exit code 1: a stream has a violation.

options:
  --dialect ${dialects}   left out: found out from the stream

example:
  millrace translate --from openai-chat --to openai recording.sse | millrace check
`,
}

const TRACE: Help = {
  usage: 'millrace trace --from WIRE [--vendor NAME] [--to TARGET] [options] [FILE]',
  summary: 'prints what each frame of a recording becomes',
  text: `Prints one line for each frame of a recording: its number, its path through the engine (fast or slow), the deltas it is
decoded to, and the events that they become; of a frame without deltas its payload. The last lines are the outcome: status,
usage, losses, and findings of the grammar checker. Each read of the engine is one frame. A FILE that ends in .json is a
whole body, each other one a stream. Without a FILE, or for -, it reads the standard input. Exit code 1: the checker found
a violation, or the fast path wrote other bytes than the slow one.

options:
  --from WIRE      the protocol of the recording
  --vendor NAME    the vendor whose quirks the recording has; left out: none
  --to TARGET      what it is translated to; left out: openai
  --slow           switches the fast path off
  --bytes          prints below each frame the bytes that the target writes for it
  --json           one JSON object a line, nothing cut; the last one holds the outcome

Texts are cut to the width of the terminal, or to 120 columns, with their length in parentheses. Colours are for terminals
only, and not where NO_COLOR is set.

${listed('WIRE', Object.keys(WIRES))}
${listed('TARGET', TARGET_NAMES)}
examples:
  millrace trace --from anthropic-messages recording.sse
  millrace trace --from openai-chat --vendor groq --to beta --bytes recording.sse
  curl -sN … | millrace trace --from openai-chat --json - | jq 'select(.path == "slow")'
`,
}

export const HELP: ReadonlyMap<string, Help> = new Map([
  ['serve', SERVE],
  ['translate', TRANSLATE],
  ['check', CHECK],
  ['trace', TRACE],
])

export const USAGE = `usage: millrace COMMAND

${[...HELP.values()].map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}
  millrace help COMMAND
      prints its options and an example
  millrace --version

Exit codes: 0 done, 1 check or trace found a violation, 2 called wrongly or unreadable.
`

export const toHelp = ({ usage, text }: Help): string => `usage: ${usage}\n\n${text}`
