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
  'host/check/own-server',
  'host/server/any-signal',
  'host/workers/serve-workers',
  'fast-path/patterns/extra-fields',
  'new-wire/new-wire',
  'laws/slices',
  'page/explain',
  'docs/examples',
  'page/shell',
  'deploy/kubernetes',
  'host/server/connections',
  'cli/launch',
  'validation/any-changed-request',
  'host/clients/answer-model',
  'page/compare',
  'page/same-as-commands',
  'bundle',
  'engine/passed-secrets',
  'host/clients/source-map',
  'docs/first-run',
  'host/browser',
  'host/clients/openrouter-beta',
  'laws/borrowed-buffers',
  'sdk-contract/behaviour-openrouter',
  'complexity/complexity',
  'cli/output',
  'laws/dialect-roundtrip',
  'host/server/blocked',
  'host/server/body/any-body',
  'sdk-contract/behaviour-openai',
  'host/upstream/answer-ends',
  'framing/long-messages',
  'docs/blocks',
  'host/clients/broken-streams',
  'page/requests',
  'host/resume',
  'host/server/stalled',
  'page/compare-model',
  'host/openapi/document',
  'host/server/failed-answer',
  'host/serve',
  'fast-path/coalesce',
  'host/upstream/affinity-lab',
  'host/server/bombs',
  'validation/any-body',
  'host/explained-calls',
  'host/check/check-server',
  'host/check/lossy-proxies',
  'host/upstream/failures',
  'host/accounts/law',
  'host/clients/passed-answers',
  'host/server/http-semantics',
  'host/clients/clients',
  'targets/fixtures',
  'laws/passed-rules',
  'host/auth/rate-limit',
  'targets/threads',
  'engine/passed-stream',
  'host/upstream/paused-connection',
  'host/upstream/refusals-of-wires',
  'host/server/http-errors',
  'host/search/offered',
  'fast-path/kept-shapes',
  'host/hooks',
  'host/clients/families',
  'fast-path/differential',
  'host/server/websocket/responses',
  'host/upstream/pool',
  'host/search/search',
  'ai-sdk/carried',
  'host/upstream/continuation',
  'bench/imports',
  'host/clients/error-paths',
  'host/telemetry/delivery',
  'host/server/drain',
  'wires/shared/vendor-answers',
  'host/sessions',
  'laws/answer-as-history',
  'host/recording/recordings',
  'ai-sdk/loops',
  'host/upstream/fallback',
  'laws/corrupt-streams',
  'host/server/stream',
  'api/option-values',
  'cli/explain',
  'host/clients/prompt-cache',
  'laws/no-reasoning',
  'host/server/compressed-bodies',
  'host/clients/gemini-signatures',
  'host/server/requests',
  'alignment/align',
  'laws/streamed-or-whole',
  'host/secrets',
  'laws/cuts',
  'fast-path/hard-cases',
  'host/server/tls',
  'ai-sdk/calls',
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
