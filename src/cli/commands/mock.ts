import { defineCommand } from '../program/command.ts'

export const mockCommand = defineCommand({
  name: 'mock',
  summary: 'starts an upstream of every protocol with scripted answers',
  description:
    'Starts a server that answers in the protocol of every wire, chosen by the path of a request. A model with the name of a fixture is answered by it; any other one by what the request demands: a call for a tool, JSON for a schema, a cut text for a small limit. It refuses what the vendor would refuse, with the name of the member. The settings below may also stand in the name of the model (hello+pieces-1+fault-usage-total) and in headers (x-mock-pieces: 1). A signal stops it.',
  options: {
    port: { value: 'PORT', help: 'the port, 0 for a free one; default: 8788' },
    host: { value: 'HOST', help: 'the address to listen on; default: 127.0.0.1' },
    key: { value: 'KEY', help: 'the key that each request needs; default: none' },
    fault: { value: 'FAULT', help: 'a defect of the answers; --list prints all' },
    pieces: { value: 'BYTES', help: 'divides response bodies into pieces of this size' },
    delay: { value: 'MS', help: 'milliseconds before each answer' },
    pace: { value: 'MS', help: 'milliseconds between two pieces' },
    cut: { value: 'BYTES', help: 'breaks the connection after so many bytes of each answer' },
    list: { help: 'prints the fixtures and the defects, and ends' },
  },
  examples: ['millrace mock', 'millrace mock --port 9000 --pieces 1', 'millrace mock --fault chat-missing-done'],
  isServer: true,
  async run({ options, streams }) {
    const { mock } = await import('../mock.ts')
    return mock(options, streams)
  },
})
