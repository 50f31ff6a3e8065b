import { baseFolder, LAST_RELEASE } from '../base/build.ts'
import type { Job } from '../jobs.ts'
import type { Part } from '../part.ts'
import type { Goal } from '../report/goals.ts'
import { baseSentence, caseTable } from '../report/tables.ts'

const PACKAGES = ['undici', 'ws']

const job = (...words: readonly string[]): Job => ({ program: 'server/main.js', words: ['--json', ...words] })

/** The server of the last release takes turns with the others. */
const besideBase = (...names: readonly string[]): Job => job('--base', baseFolder(LAST_RELEASE), ...names)

/** The beginning of a case's name is the text of its goal. */
const atMost = (bound: number, name: string, side: string): Goal => ({
  text: `≤ ${bound} × ${side}: ${name}`,
  isAbout: (one) => one.startsWith(name),
  atMost: bound,
})

export const server: Part = {
  name: 'server',
  title: 'The server against a byte relay',
  processes: 7,
  isAlone: true,
  packages: PACKAGES,
  goals: [
    atMost(2.5, 'processor time a request', 'the relay'),
    atMost(1, 'processor time a chunk, bursts of 2000', 'the relay'),
    atMost(1.4, 'processor time a chunk, 1000 streams', 'the relay'),
    {
      text: '≤ 7 KiB and the text above the relay: memory of a stream after 100 chunks',
      isAbout: (name) => name.startsWith('memory of the server above the relay'),
      atMost: 7,
    },
  ],
  base: LAST_RELEASE,
  jobs: () => [besideBase('requests', 'bursts', 'first', 'paced'), besideBase('memory')],
  section: (results) =>
    [
      'The relay (1) is the smallest gateway: `node:http` and undici, which pass the bytes of the upstream on and translate ' +
        'nothing. Upstream, relay, servers and load are processes of their own on loopback, and share the cores of the machine. ' +
        'Relay and servers take turns, after 8,000 requests each. The server checks a key, validates the request, translates it ' +
        'and the answer (`openai-chat` to the dialect `beta`), counts and logs.' +
        `${baseSentence(results)} Lower is better.`,
      caseTable(results, 'case'),
      'The time to first byte is the median, less the time of a request sent to the upstream itself, so that it is what the ' +
        'server adds. Memory is heap and external memory after garbage was collected. The p99 delay has no goal: upstream, ' +
        'load and server share the cores, and a server without any translation has the same delay or more.',
    ].join('\n\n'),
}

export const requestCosts: Part = {
  name: 'costs',
  title: 'The cost of a request',
  processes: 3,
  isAlone: true,
  packages: ['undici'],
  goals: [],
  jobs: () => [job('costs')],
  section: (results) =>
    [
      'Microseconds of processor time that a warm server spends on a request of the section before: the time of 5,000 ' +
        'requests by the share of samples in a profile. A sample belongs to the part of the innermost function whose ' +
        'module has a row in `bench/server/cost-rows.ts`. The profiler itself takes time, and a system call is in the part ' +
        'that makes it. These figures depend on the machine: compare them only with each other. Lower is better.',
      caseTable(results, 'part'),
    ].join('\n\n'),
}

export const passed: Part = {
  name: 'passed',
  title: 'The server with the same protocol at both ends',
  processes: 7,
  isAlone: true,
  packages: PACKAGES,
  goals: [atMost(1.25, 'passed through: processor time a chunk, 1000 streams', 'the relay')],
  base: LAST_RELEASE,
  jobs: () => [besideBase('passed')],
  section: (results) =>
    [
      'A client of chat completions and an upstream of the same protocol: the [body itself](passthrough.md) is passed on. ' +
        'Everything else is as in the section before.' +
        `${baseSentence(results)} Lower is better.`,
      caseTable(results, 'case'),
    ].join('\n\n'),
}

export const webSockets: Part = {
  name: 'sockets',
  title: 'WebSocket connections',
  processes: 7,
  isAlone: true,
  packages: PACKAGES,
  goals: [atMost(1.3, 'processor time a chunk over a socket', 'SSE')],
  base: LAST_RELEASE,
  jobs: () => [{ ...job('sockets'), isOnce: true }, besideBase('socket-bursts')],
  section: (results) =>
    [
      'Connections of the [WebSocket transport](clients/responses.md). `SSE` is the same stream over SSE from the same ' +
        'server. An idle socket keeps the response that its next request may continue. A tenth of the opened and closed sockets ' +
        'requests an answer, and half of the rest are lost without a close frame. Over a socket each event is a message with a ' +
        'head of its own, where SSE joins the events of one read: that is the price of a chunk in bursts.' +
        `${baseSentence(results)} Lower is better.`,
      caseTable(results, 'case'),
    ].join('\n\n'),
}
