import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { code, table } from '../../docs/sections/markdown.ts'
import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'
import { type Candidate, LIBRARIES, SERVER_PEERS } from './candidates.ts'

const FOLDER = 'bench/peers'

/** Installs the peers of the lock file, unless they are there. */
export function installPeers(): void {
  const read = (file: string) => JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))
  const { dependencies } = read('package.json') as { readonly dependencies: Readonly<Record<string, string>> }
  const isInstalled = ([name, version]: readonly [string, string]): boolean =>
    existsSync(`${FOLDER}/node_modules/${name}/package.json`) &&
    read(`node_modules/${name}/package.json`).version === version
  if (Object.entries(dependencies).every(isInstalled)) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', FOLDER], { stdio: 'ignore' })
}

const packagesOf = (candidates: readonly Pick<Candidate, 'packages'>[]): readonly string[] => [
  ...new Set(candidates.flatMap(({ packages }) => packages)),
]

const candidateTable = (candidates: readonly Candidate[]): string =>
  table(
    ['peer', 'writes', 'what it does less'],
    candidates.map(({ name, writes, lacks }) => [name, writes, lacks]),
  )

export const peers: Part = {
  name: 'peers',
  title: 'Other libraries',
  processes: 3,
  isAlone: false,
  packages: packagesOf(LIBRARIES),
  goals: [],
  prepare: installPeers,
  jobs: (isQuick) =>
    LIBRARIES.flatMap(({ name, wires }) =>
      wires.map((wire) => ({ program: 'peers/libraries.mjs', words: [wire, name, isQuick ? '7' : '21', '--json'] })),
    ),
  section: (results) =>
    [
      'How many times as fast millrace is, in processor time: higher is better for millrace. Peer and millrace take turns in ' +
        'one process for each peer and wire, on the same stream of 3,000 chunks with text, one event a read. Peers read Web ' +
        'streams, as from `fetch`; so does `translateStream()`, and `createStreamTranslator()` is called with the bytes. Before ' +
        'anything is measured, the output of each side must have exactly the text that the upstream sent.',
      '![Bars: how many times as fast as each peer](assets/benchmark-peers.svg)',
      candidateTable(LIBRARIES),
      caseTable(results, 'case'),
      'The packages of the AI SDK declare Node 22 as their oldest; they run on Node 20. `responses.js` of Hugging Face, which ' +
        'translates chat completions to Responses, is not measured: npm has no package of it.',
    ].join('\n\n'),
}

export const serverPeers: Part = {
  name: 'server-peers',
  title: 'Other gateways',
  processes: 3,
  isAlone: true,
  packages: packagesOf(SERVER_PEERS),
  goals: [],
  prepare: installPeers,
  jobs: () => SERVER_PEERS.map(({ name }) => ({ program: 'peers/servers.mjs', words: [name, '3', '--json'] })),
  section: (results) =>
    [
      'How many times as fast the server of millrace is, in processor time of the whole process, with HTTP: higher is better ' +
        'for millrace. Both gateways are processes of their own behind one load, and take turns on the same stream of 3,000 ' +
        'chunks, which the upstream sends at once. Every answer that is checked must have exactly its text. The gateways are ' +
        'configured as for the [conformance of gateways](conformance.md); LiteLLM and Bifrost are measured on machines that ' +
        'have them.',
      table(
        ['gateway', 'what it does less'],
        SERVER_PEERS.filter(({ lacks }) => lacks !== '').map(({ name, lacks }) => [code(name), lacks]),
      ),
      caseTable(results, 'case'),
    ].join('\n\n'),
}
