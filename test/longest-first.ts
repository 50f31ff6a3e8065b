import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest. They run first in their project, so that none of them runs alone at its end. */
const LONGEST = [
  'recordings',
  'host/server/websocket/any-message',
  'laws/long-events',
  'recordings-clients',
  'patterns',
  'api/event-types',
  'sdk-contract/behaviour',
  'page/live',
  'cli/transcript',
  'laws/answer-as-history',
  'host/check/own-server',
  'host/server/any-signal',
  'host/workers/serve-workers',
  'fast-path/patterns/extra-fields',
  'new-wire/new-wire',
  'host/check/check-server',
  'host/accounts/law',
  'host/check/lossy-proxies',
  'host/upstream/failures',
  'host/server/http-semantics',
  'host/upstream/paused-connection',
  'host/clients/passed-answers',
  'host/auth/rate-limit',
  'laws/passed-rules',
  'ai-sdk/carried',
  'targets/fixtures',
  'engine/passed-stream',
  'ai-sdk/loops',
  'laws/slices',
  'page/explain',
  'docs/examples',
  'page/shell',
  'deploy/kubernetes',
  'host/server/connections',
  'cli/launch',
  'validation/any-changed-request',
  'host/clients/answer-model',
  'laws/no-reasoning',
  'page/compare',
  'page/same-as-commands',
  'bundle',
  'engine/passed-secrets',
  'host/clients/source-map',
  'docs/first-run',
  'host/browser',
  'host/clients/openrouter-beta',
  'host/upstream/refusals-of-wires',
  'laws/borrowed-buffers',
  'sdk-contract/behaviour-openrouter',
  'complexity/complexity',
  'cli/output',
  'laws/dialect-roundtrip',
  'host/server/blocked',
  'host/search/offered',
  'host/server/body/any-body',
  'sdk-contract/behaviour-openai',
  'host/upstream/answer-ends',
  'host/search/search',
  'framing/long-messages',
  'docs/blocks',
  'host/clients/broken-streams',
  'page/requests',
  'host/resume',
  'host/server/stalled',
  'page/compare-model',
  'host/openapi/document',
  'host/server/failed-answer',
  'fast-path/kept-shapes',
  'fast-path/differential',
  'host/serve',
  'fast-path/coalesce',
  'grid',
  'host/upstream/affinity-lab',
  'laws/cuts',
  'host/server/bombs',
  'validation/any-body',
  'host/explained-calls',
  'host/upstream/fallback',
].map((name) => `/test/${name}.test.ts`)

/** The place among the longest files, the longest first; all others follow them. */
function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return at < 0 ? LONGEST.length : at
}

const waits = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/host/')

/**
 * Spreads the files that wait for sockets and time-outs evenly among those that compute, so that the processors always
 * have work. Each kind keeps its order.
 */
function spread(files: readonly TestSpecification[]): readonly TestSpecification[] {
  const kinds = [files.filter(waits), files.filter((file) => !waits(file))]
  return kinds
    .flatMap((kind) => kind.map((file, at) => ({ file, place: (at + 0.5) / kind.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file)
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const names = [...new Set(sorted.map(({ project }) => project.name))]
    // The many short files of a large project fill all workers until the end.
    return names
      .map((name) =>
        spread(sorted.filter(({ project }) => project.name === name).sort((a, b) => rankOf(a) - rankOf(b))),
      )
      .sort((a, b) => a.length - b.length)
      .flat()
  }
}
