import { importedChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const importCommand = defineCommand({
  name: 'import',
  summary: 'writes a configuration from another gateway’s',
  description:
    'Reads the configuration file of another gateway, YAML or JSON, or for - the standard input, and writes one of millrace with the same providers, keys, rules for models, fallbacks and retries. The standard error lists what is done otherwise and what has no equivalent, each with its path in the file: nothing is left out silently. Keys of clients are written as hashes, keys of providers as the file has them. Exit code 2: the file cannot be read, or the file of --to exists.',
  options: {
    to: { value: 'FILE', path: 'file', help: 'writes a new file; default: the standard output' },
    strict: { help: 'ends with exit code 1 if anything has no equivalent' },
  },
  args: {
    usage: 'GATEWAY FILE',
    most: 2,
    remedy: 'Name the gateway and one file.',
    choices: importedChoices,
    path: 'file',
  },
  examples: [
    'millrace import litellm config.yaml --to millrace.jsonc',
    'millrace import claude-code-router ~/.claude-code-router/config.json',
    'millrace import portkey config.json --strict',
  ],
  async run({ args, options, streams }) {
    const { importConfig } = await import('../import.ts')
    return importConfig(args, options, streams, process.env)
  },
})
