import { targetChoices, vendorChoices, wireChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const traceCommand = defineCommand({
  name: 'trace',
  summary: 'prints the deltas and events of each recorded frame',
  description:
    'Prints one line for each frame of a recording: its number, its deltas, and their events. For a frame without deltas, the line has its payload. The last lines are the outcome: status, usage, losses, and findings of the grammar checker. Each read of the engine is one frame. A FILE that ends in .json is a whole body, every other FILE a stream. Without a FILE, or for -, it reads the standard input. Exit code 1: the checker found a violation, or the fast path wrote other bytes than the slow path.\n\nTexts are cut to the width of the terminal, or to 120 columns, with their length in parentheses. Colours are used in terminals; NO_COLOR switches them off, and FORCE_COLOR on.',
  options: {
    from: {
      value: 'WIRE',
      choices: wireChoices,
      help: 'the protocol of the recording; default: the provider’s, or detected from the bytes',
    },
    vendor: {
      value: 'VENDOR',
      choices: vendorChoices,
      isOpen: true,
      help: 'the provider whose quirks apply; default: no quirks',
    },
    to: {
      value: 'TARGET',
      choices: targetChoices,
      help: 'the dialect, wire or user interface of the output; default: openai',
    },
    slow: { help: 'switches the fast path off' },
    paths: { help: 'prints the path of each frame through the engine, fast or slow, and counts the fast ones' },
    bytes: { help: 'prints below each frame the bytes that the target writes for it' },
    json: { help: 'prints one JSON object in each line, with uncut texts; the last one contains the outcome' },
  },
  args: { usage: '[FILE]', most: 1, remedy: 'Run it once for each.', path: 'file' },
  examples: [
    'millrace trace recording.sse',
    'millrace trace --from openai-chat --vendor groq --to beta --bytes recording.sse',
    'curl -sN … | millrace trace --from openai-chat --json - | jq \'select(.path == "slow")\'',
  ],
  async run({ args, options, streams }) {
    const { trace } = await import('../trace.ts')
    return trace(args, options, streams)
  },
})
