import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'

const PACKAGES = ['undici', 'ws']

const jobsOf =
  (...names: readonly string[]): Part['jobs'] =>
  (isQuick) => [{ program: 'server/main.js', words: ['--json', ...(isQuick ? ['--quick'] : []), ...names] }]

export const server: Part = {
  name: 'server',
  title: 'The server against a byte relay',
  processes: 3,
  isAlone: true,
  packages: PACKAGES,
  goals: [
    {
      text: '≤ 1.5 × the relay: time to first byte added',
      isAbout: (name) => name.startsWith('time to first byte added'),
      atMost: 1.5,
    },
    {
      text: '≤ 1.25 × the relay: processor time a chunk of paced streams',
      isAbout: (name) => /^processor time a chunk, \d+ streams/.test(name),
      atMost: 1.25,
    },
    { text: '≤ 25 KiB a stream', isAbout: (name) => name.startsWith('heap and external memory a stream'), atMost: 25 },
  ],
  jobs: jobsOf('bursts', 'first', 'paced', 'memory'),
  section: (results) =>
    [
      'The relay (1) is the smallest gateway: `node:http` and undici, which pass the bytes of the upstream on and translate ' +
        'nothing. Upstream, relay, server and load are processes of their own on loopback, and share the cores of the machine. ' +
        'Relay and server take turns, after 4,000 requests each. The server checks a key, validates the request, translates it ' +
        'and the answer (`openai-chat` to the dialect `beta`), counts and logs. Lower is better.',
      caseTable(results, 'case'),
      'The time to first byte is the median over that of a request sent to the upstream itself, so that it is what the ' +
        'server adds. Memory is measured after garbage was collected.',
    ].join('\n\n'),
}

export const passed: Part = {
  name: 'passed',
  title: 'The server with the same protocol at both ends',
  processes: 1,
  isAlone: true,
  packages: PACKAGES,
  goals: [],
  jobs: jobsOf('passed'),
  section: (results) =>
    [
      'A client of chat completions and an upstream of the same protocol: the [body itself](passthrough.md) is passed on. ' +
        'Everything else is as in the section before. Lower is better.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}

export const webSockets: Part = {
  name: 'sockets',
  title: 'WebSocket connections',
  processes: 1,
  isAlone: true,
  packages: PACKAGES,
  goals: [],
  jobs: jobsOf('sockets'),
  section: (results) =>
    [
      'Connections of the [WebSocket transport](clients/responses.md). `SSE` is the same stream over SSE from the same ' +
        'server. An idle socket keeps the response that its next request may continue. A tenth of the opened and closed sockets ' +
        'requests an answer, and half of the rest are lost without a close frame. Over a socket each event is a message with a ' +
        'head of its own, where SSE joins the events of one read: that is the price of a chunk in bursts. Lower is better.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}
