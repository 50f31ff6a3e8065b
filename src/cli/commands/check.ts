import { checkRowChoices, dialectChoices, protocolChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'checks Responses streams, or a live server of any protocol',
  description:
    'Checks recorded Responses streams against the rules of the protocol, and prints the event, the rule and the reason of each error. A folder stands for the streams in it. Without a FILE, or for -, it reads the standard input. With a URL in place of files, it sends every kind of request to that server, streamed and whole, and prints a table. Before the first request, it prints how many requests and output tokens it will use at most. What a model decides (a text in place of a call) is "not shown", and not an error. Exit code 1: there are errors; 2: a file cannot be read, or the server cannot be reached.',
  options: {
    dialect: {
      value: 'DIALECT',
      choices: dialectChoices,
      help: 'the dialect of the streams; default: detected from each stream',
    },
    model: { value: 'MODEL', help: 'of a server: the model of the requests' },
    key: {
      value: 'KEY',
      help: 'of a server: its key, which is never printed; default: MILLRACE_KEY (safer: process lists do not show it)',
    },
    protocol: {
      value: 'PROTOCOL',
      choices: protocolChoices,
      help: 'of a server: its protocol; default: responses',
    },
    only: {
      value: 'ROWS',
      choices: checkRowChoices,
      isList: true,
      isOpen: true,
      help: 'of a server: the requests to send; default: all',
    },
    'max-requests': { value: 'NUMBER', help: 'of a server: the most requests to send' },
    'max-tokens': { value: 'NUMBER', help: 'of a server: the most output tokens to request, all requests together' },
    json: { help: 'of a server: prints the report as JSON' },
    junit: { value: 'FILE', path: 'file', help: 'of a server: writes the report in the form of JUnit' },
    badge: { value: 'FILE', path: 'file', help: 'of a server: writes a picture (SVG) with the result' },
    strict: { help: 'of a server: a warning also ends with exit code 1' },
  },
  args: { usage: '[FILE... | URL]', most: Number.POSITIVE_INFINITY, remedy: '', path: 'file' },
  examples: [
    'millrace translate --from openai-chat --to openai recording.sse | millrace check',
    'millrace check http://127.0.0.1:8787/v1 --model openai/gpt-5-mini',
    'millrace check https://api.anthropic.com/v1 --protocol messages --model claude-haiku-4-5 --only text,tool',
  ],
  async run({ args, options, streams }) {
    const [first = ''] = args
    if (/^https?:\/\//i.test(first)) {
      const { checkLive } = await import('../check-live.ts')
      return checkLive(args, options, streams, process.env)
    }
    const [scheme] = /^[a-z][a-z\d+.-]*(?=:\/\/)/i.exec(first) ?? []
    if (scheme !== undefined)
      throw new Error(`check: expected an http or https URL, got one with the scheme "${scheme}".`)
    const { dialect, ...ofServer } = options
    const [other] = Object.keys(ofServer)
    if (other !== undefined)
      throw new Error(`--${other}: only for a server. Name its URL, as in millrace check http://127.0.0.1:8787/v1.`)
    const { check } = await import('../check.ts')
    return check(args, dialect === undefined ? {} : { dialect }, streams)
  },
})
