import { defineCommand } from '../program/command.ts'
import { serveCommand } from './serve.ts'

export const recordCommand = defineCommand({
  name: 'record',
  summary: 'starts the server and records its exchanges with providers',
  description:
    'Starts the server as serve does, and writes each exchange with a provider to a folder of its own below DIR: the request, the response as it came and its pace. Keys and other secrets are masked; prompts and answers are not.',
  options: {
    to: { value: 'DIR', isRequired: true, path: 'folder', help: 'the folder of the recordings, which is created' },
    ...serveCommand.options,
  },
  args: { usage: '', most: 0, remedy: 'Name the folder with --to DIR.' },
  examples: ['millrace record --to recordings'],
  isServer: true,
  async run({ options: { to, ...options }, streams }) {
    const { record } = await import('../recording/record.ts')
    return record({ ...options, to }, streams)
  },
})
