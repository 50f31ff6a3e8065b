import { defineCommand } from '../program/command.ts'

export const initCommand = defineCommand({
  name: 'init',
  summary: 'writes a configuration with a new key for clients',
  description:
    'Writes a configuration that a server can start with, and prints its key for clients once: the file has only its SHA-256. serve reads millrace.jsonc of its folder without an option. A file that exists is not overwritten.',
  options: {
    to: { value: 'FILE', path: 'file', help: 'the new file; default: millrace.jsonc' },
    name: { value: 'NAME', help: 'the name of the key in the configuration and the log; default: client' },
  },
  args: { usage: '', most: 0, remedy: 'Name the file with --to FILE.' },
  examples: ['millrace init', 'millrace init --to /etc/millrace/config.json --name laptop'],
  async run({ options, streams }) {
    const { writeFirstConfig } = await import('../init.ts')
    return writeFirstConfig(options, streams, process.env)
  },
})
