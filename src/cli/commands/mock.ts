import { defineCommand } from '../program/command.ts'

export const mockCommand = defineCommand({
  name: 'mock',
  summary: 'starts a mock provider with scripted responses',
  description:
    'Starts a server that stands in for any provider; the path of a request chooses the protocol. A model with the name of a fixture gets that fixture. Any other model gets what the request asks for: a call for a tool, JSON for a schema, a cut text for a small limit. The server refuses what the provider would refuse, and names the field. You can also write the settings below in the name of the model (hello+pieces-1+fault-usage-total) or in headers (x-mock-pieces: 1). A signal stops the server.',
  options: {
    port: { value: 'PORT', help: 'the port, 0 for a free one; default: 8788' },
    host: { value: 'HOST', help: 'the address to listen on; default: 127.0.0.1' },
    key: { value: 'KEY', help: 'the key that each request needs; default: none' },
    fault: { value: 'FAULT', help: 'a defect of the responses; --list prints all' },
    pieces: { value: 'BYTES', help: 'divides response bodies into pieces of this size' },
    delay: { value: 'MS', help: 'milliseconds before each response' },
    pace: { value: 'MS', help: 'milliseconds between two pieces' },
    cut: { value: 'BYTES', help: 'breaks the connection after so many bytes of each response' },
    list: { help: 'prints the fixtures and the defects, and ends' },
  },
  examples: ['millrace mock', 'millrace mock --port 9000 --pieces 1', 'millrace mock --fault chat-missing-done'],
  isServer: true,
  async run({ options, streams }) {
    const { mock } = await import('../mock.ts')
    return mock(options, streams)
  },
})
