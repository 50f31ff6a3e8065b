import { defineCommand } from '../program/command.ts'
import { serveCommand } from './serve.ts'

const MATCHES = ['order', 'exact'] as const

export const replayCommand = defineCommand({
  name: 'replay',
  summary: 'starts the server with recordings in place of providers',
  description:
    'Starts the server as serve does, and plays the recordings in DIR, which record has written: with their pace, status and end. No request leaves the machine, and you need no provider keys. A request gets the recording with the same path, model and body; --match has the rule for other requests. The log names each recording that is played.',
  options: {
    fast: { help: 'plays without the recorded delays' },
    match: {
      value: 'RULE',
      choices: async () => MATCHES,
      help: 'order: a request with another body gets the next recording with its path and model (default); exact: such a request fails, with the first difference',
    },
    ...serveCommand.options,
  },
  args: { usage: 'DIR', most: 1, remedy: 'Name one folder.', path: 'folder' },
  examples: ['millrace replay recordings --fast'],
  isServer: true,
  async run({ args: [folder], options: { fast, match, ...options }, streams }) {
    if (folder === undefined)
      throw new Error('replay: expected the folder of the recordings, as in millrace replay DIR.')
    const { replay } = await import('../recording/replay.ts')
    return replay(folder, { ...options, fast: fast === true, match: match === 'exact' ? 'exact' : 'order' }, streams)
  },
})
