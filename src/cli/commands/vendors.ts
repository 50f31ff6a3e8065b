import { wireChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const vendorsCommand = defineCommand({
  name: 'vendors',
  summary: 'lists providers, their wires, keys and addresses',
  description:
    'Lists the providers that need no configuration but a key: wire, environment variable of the key, whether it is set, and base URL. A provider without a base URL has one for each account, which the configuration sets. Further wires serve the clients that speak them.',
  options: {
    wire: { value: 'WIRE', choices: wireChoices, help: 'only providers with this wire' },
    set: { help: 'only providers whose key is set, or that need none' },
    json: { help: 'prints one JSON object in each line' },
  },
  examples: ['millrace vendors', "millrace vendors --json | jq -r 'select(.key_is_set).vendor'"],
  async run({ options, streams }) {
    const { listVendors } = await import('../vendors.ts')
    return listVendors(options, streams, process.env)
  },
})
