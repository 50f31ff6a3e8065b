import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest. They run first in their project, so that none of them runs alone at its end. */
const LONGEST = [
  'host/workers/serve-workers',
  'validation/any-changed-request',
  'validation/any-body',
  'host/server/websocket/any-message',
  'sdk-contract/behaviour-openai',
  'sdk-contract/behaviour-openrouter',
  'sdk-contract/behaviour',
  'docs/examples',
  'host/check/own-server',
  'host/clients/source-map',
  'page/explain',
  'page/live',
  'engine/passed-secrets',
  'laws/borrowed-buffers',
  'fast-path/patterns/extra-fields',
  'page/compare',
  'host/browser',
  'complexity/complexity',
  'host/serve',
  'fast-path/coalesce',
  'host/server/failed-answer',
  'sdk-contract/invented-values',
  'host/server/bombs',
  'host/upstream/affinity-lab',
  'host/explained-calls',
  'fast-path/differential',
  'laws/never-throws',
  'laws/dialect-roundtrip',
  'laws/request-shapes',
  'fast-path/kept-shapes',
  'grid',
  'laws/cuts',
  'host/server/stalled',
  'host/server/connections',
  'host/upstream/fallback',
].map((name) => `/test/${name}.test.ts`)

/** The place among the longest files, the longest first; all others follow them. */
function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return at < 0 ? LONGEST.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const names = [...new Set(sorted.map(({ project }) => project.name))]
    // The many short files of a large project fill all workers until the end.
    return names
      .map((name) => sorted.filter(({ project }) => project.name === name).sort((a, b) => rankOf(a) - rankOf(b)))
      .sort((a, b) => a.length - b.length)
      .flat()
  }
}
