import { defineCommand } from '../program/command.ts'

export const keyCommand = defineCommand({
  name: 'key',
  summary: 'makes a key for clients, and its hash for the configuration',
  description:
    'Makes a random key for a client, and prints it with its SHA-256 in the form that the configuration has. The key is stored nowhere. For -, it reads a key from the standard input and prints its hash alone.',
  options: {
    name: { value: 'NAME', help: 'the name of the key in the configuration and the log; default: client' },
    json: { help: 'prints one JSON object: key, name and sha256' },
  },
  args: { usage: '[-]', most: 1, remedy: 'Name the key with --name NAME.' },
  examples: ['millrace key --name laptop', 'printf %s "$KEY" | millrace key -'],
  async run({ args, options, streams }) {
    const { makeKey } = await import('../key.ts')
    return makeKey(args, options, streams)
  },
})
