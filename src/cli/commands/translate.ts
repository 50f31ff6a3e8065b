import { targetChoices, vendorChoices, wireChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const translateCommand = defineCommand({
  name: 'translate',
  summary: 'translates recordings of upstreams',
  description:
    'Translates recordings of upstreams. A FILE that ends in .json is a whole body, every other FILE a stream; a folder stands for the recorded streams in it and in its folders, which --out keeps. Without a FILE, or for -, it reads the standard input, which is a whole body if it begins with {. Incomplete and invalid recordings, and values that the target cannot carry, are reported on the standard error. Exit code 2: a FILE cannot be read; the others are translated all the same.',
  options: {
    from: {
      value: 'WIRE',
      choices: wireChoices,
      help: 'the protocol of the recording; default: the provider’s, or detected from the bytes',
    },
    to: {
      value: 'TARGET',
      isRequired: true,
      choices: targetChoices,
      help: 'the dialect, wire or user interface of the output',
    },
    vendor: {
      value: 'VENDOR',
      choices: vendorChoices,
      isOpen: true,
      help: 'the provider whose quirks apply; default: no quirks',
    },
    collect: { help: 'writes one response object, or one body of the wire, instead of a stream' },
    pieces: { value: 'BYTES', help: 'how many bytes one read has; default: 16384' },
    out: {
      value: 'DIR',
      path: 'folder',
      help: 'writes DIR/<name>.<to>.sse (or .ndjson), or with --collect DIR/<name>.response.json (for a wire DIR/<name>.<wire>.json); default: the standard output',
    },
    strict: { help: 'exit code 1 if a recording is cut off or invalid, or if a value is dropped' },
  },
  args: { usage: '[FILE...]', most: Number.POSITIVE_INFINITY, remedy: '', path: 'file' },
  examples: [
    'millrace translate --to openai recording.sse',
    'curl -sN … | millrace translate --from anthropic-messages --to beta > answer.sse',
    'millrace translate --to anthropic-messages --out translated --strict recordings/',
  ],
  async run({ args, options, streams }) {
    const { translateFiles } = await import('../translate.ts')
    return translateFiles(args, options, streams)
  },
})
