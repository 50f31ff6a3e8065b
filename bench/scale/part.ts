import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'

export const scale: Part = {
  name: 'scale',
  title: 'Ten thousand streams, and two workers',
  processes: 1,
  isAlone: true,
  packages: ['undici'],
  goals: [
    {
      text: '≤ 25 KiB a stream of ten thousand',
      isAbout: (name) => name.endsWith(': heap and external memory a stream'),
      atMost: 25,
    },
    { text: 'no stream lost', isAbout: (name) => name.endsWith(': lost'), atMost: 0 },
  ],
  jobs: (isQuick) => [
    { program: 'scale/main.js', words: ['streams', '--json', ...(isQuick ? ['--streams', '2000'] : [])] },
    ...(isQuick ? [] : [{ program: 'scale/main.js', words: ['workers', '--json'] }]),
  ],
  section: (results) =>
    [
      'One process with ten thousand open streams, and the requests that two workers answer against one. Upstream, server and ' +
        'clients are processes of their own on the same cores, which two workers share with them: on a machine with two ' +
        "cores, the second worker has no core of its own. Delay is from the upstream's write to the client's read. Every stream " +
        'is checked to its end. Delay and workers have no goal here: a bare relay in the workers of `node:cluster` stands beside ' +
        'the server.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}
