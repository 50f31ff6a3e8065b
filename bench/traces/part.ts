import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'

export const traces: Part = {
  name: 'traces',
  title: 'Forwarding of traces',
  processes: 1,
  isAlone: true,
  packages: [],
  goals: [],
  jobs: (isQuick) => [{ program: 'traces/main.js', words: ['--json', '--requests', isQuick ? '1000' : '3000'] }],
  section: (results) =>
    [
      'Two servers, of which one sends its traces to five destinations; one of these is dead, and one never answers. ' +
        'Requests go to both in turns at a steady pace. Lower is better.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}
