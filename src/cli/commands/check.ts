import { dialectChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'checks Responses streams against the grammar',
  description:
    'Checks Responses streams against the grammar, and prints event, rule and reason of each violation. A folder stands for the streams in it. Without a FILE, or for -, it reads the standard input. Exit code 1: a stream has a violation.',
  options: {
    dialect: {
      value: 'DIALECT',
      choices: dialectChoices,
      help: 'the dialect of the streams; default: detected from each stream',
    },
  },
  args: { usage: '[FILE...]', most: Number.POSITIVE_INFINITY, remedy: '', path: 'file' },
  examples: ['millrace translate --from openai-chat --to openai recording.sse | millrace check'],
  async run({ args, options, streams }) {
    const { check } = await import('../check.ts')
    return check(args, options, streams)
  },
})
