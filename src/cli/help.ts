import { TARGET_NAMES } from '../alignment/named-target.ts'
import { DIALECTS } from '../dialects/registry.ts'
import { VENDOR_NAMES } from '../vendors/registry.ts'
import { WIRES } from '../wires/registry.ts'
import { AGENTS } from './launch/agents.ts'

/** The text that `millrace help` prints about one command. */
export interface Help {
  readonly usage: string
  readonly summary: string
  /** Everything after the usage. */
  readonly text: string
}

const AGENT_NAMES = [...AGENTS.keys()]

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
  text: `Starts the server. SIGTERM stops it after its open streams have ended. SIGHUP reloads the configuration.

options:
  --config FILE   the configuration file (JSON); default: the file that MILLRACE_CONFIG names, or no file

example:
  PORT=8787 millrace serve --config millrace.json
`,
}

const LAUNCH: Help = {
  usage: `millrace launch ${AGENT_NAMES.join('|')} [options] [-- ARGUMENTS]`,
  summary: 'runs a coding agent on any vendor',
  text: `Starts a server for one run of a coding agent: on a free port of this machine, with the keys of the environment, and
with a key of its own that only the agent receives. The agent is directed to it by variables and arguments; no file is
written. Exit code: that of the agent, or 128 and the number of the signal that ended it. At the end, requests, tokens,
losses and failures are printed on the standard error.

options:
  --model MODEL   <vendor>/<model>, which serves every request of the agent; default: the models that the agent requests,
                  from their own vendors
  --config FILE   the configuration file, as for serve. Its listen, mounts, keys and drain do not apply
  --log FILE      appends the log of the server; default: no log

${listed('agents, which must be in PATH', AGENT_NAMES)}
examples:
  ANTHROPIC_API_KEY=… millrace launch claude
  GROQ_API_KEY=… millrace launch codex --model groq/openai/gpt-oss-120b
  OPENAI_API_KEY=… millrace launch gemini --model openai/gpt-5 -- -p "What does this repository do?"
`,
}

const TRANSLATE: Help = {
  usage: 'millrace translate --from WIRE --to TARGET [options] FILE...',
  summary: 'translates recordings of upstreams',
  text: `Translates recordings of upstreams. A FILE that ends in .json is a whole body, every other FILE a stream. - is the
standard input, which is a whole body if it begins with {. Incomplete and invalid recordings are reported on the standard
error.

options:
  --from WIRE      the protocol of the recording
  --to TARGET      the dialect or wire of the output
  --vendor NAME    the vendor whose quirks apply; default: no quirks
  --collect        writes one response object, or one body of the wire, instead of a stream
  --pieces BYTES   the size of one read of a stream; default: 16384
  --out DIR        writes DIR/<name>.<to>.sse (or .ndjson), or with --collect DIR/<name>.response.json (for a wire
                   DIR/<name>.<wire>.json); default: the standard output

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
  --dialect ${dialects}   the dialect of the streams; default: detected from each stream

example:
  millrace translate --from openai-chat --to openai recording.sse | millrace check
`,
}

const TRACE: Help = {
  usage: 'millrace trace --from WIRE [--vendor NAME] [--to TARGET] [options] [FILE]',
  summary: 'prints the deltas and events of each frame of a recording',
  text: `Prints one line for each frame of a recording: its number, its path through the engine (fast or slow), its deltas,
and their events. For a frame without deltas, the line has its payload. The last lines are the outcome: status, usage,
losses, and findings of the grammar checker. Each read of the engine is one frame. A FILE that ends in .json is a whole
body, every other FILE a stream. Without a FILE, or for -, it reads the standard input. Exit code 1: the checker found a
violation, or the fast path wrote other bytes than the slow path.

options:
  --from WIRE      the protocol of the recording
  --vendor NAME    the vendor whose quirks apply; default: no quirks
  --to TARGET      the dialect or wire of the output; default: openai
  --slow           switches the fast path off
  --bytes          prints below each frame the bytes that the target writes for it
  --json           prints one JSON object in each line, with uncut texts; the last one contains the outcome

Texts are cut to the width of the terminal, or to 120 columns, with their length in parentheses. Colours are used in
terminals, unless NO_COLOR is set.

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
  ['launch', LAUNCH],
  ['translate', TRANSLATE],
  ['check', CHECK],
  ['trace', TRACE],
])

export const USAGE = `usage: millrace COMMAND

${[...HELP.values()].map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}
  millrace help COMMAND
      prints its options and an example
  millrace --version

Exit codes: 0 success, 1 check or trace found a violation, 2 invalid call or unreadable file; launch has that of its agent.
`

export const toHelp = ({ usage, text }: Help): string => `usage: ${usage}\n\n${text}`
