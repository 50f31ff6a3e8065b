import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'

export const webStreams: Part = {
  name: 'web-streams',
  title: 'Web streams',
  processes: 3,
  isAlone: false,
  packages: [],
  goals: [
    {
      text: '≤ 1.3 × the direct call: `translateStream()`',
      isAbout: (name) => name.endsWith('translateStream()'),
      atMost: 1.3,
    },
  ],
  jobs: () => [{ program: 'web-streams/main.js', words: ['--json'] }],
  section: (results) =>
    [
      'How many times as long `translateStream()`, which reads and writes Web streams, takes as the direct call ' +
        '`createStreamTranslator()`, with reads of 16 KiB, text in the dialect `openai`. Lower is better.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}
