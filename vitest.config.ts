import { builtinModules } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

/** Vendors' own clients against the server and the client side of the wires: slow to load, and the same ground again. */
const CLIENTS = [
  'test/host/clients/ai-sdk.test.ts',
  'test/host/clients/broken-streams.test.ts',
  'test/host/clients/compliance.test.ts',
  'test/host/clients/family-clients.test.ts',
  'test/host/clients/interactions.test.ts',
  'test/host/recording/sdk-sessions.test.ts',
  'test/host/telemetry/sdk.test.ts',
  'test/host/clients/ollama-client.test.ts',
  'test/host/clients/openai-client.test.ts',
  'test/host/clients/openrouter-beta.test.ts',
  'test/host/clients/openrouter-client.test.ts',
  'test/host/clients/seven-wires.test.ts',
  'test/host/clients/websocket-clients.test.ts',
  'test/wires/*/client/sdk.test.ts',
]
const RECORDINGS = [
  'test/recordings.test.ts',
  'test/recordings-clients.test.ts',
  'test/targets/recordings.test.ts',
  'test/token-estimates.test.ts',
]
/** Servers under load, a browser, programs of their own, other packages' readers, and the largest properties: each takes many seconds. */
const SLOW = [
  'test/ai-sdk/carried.test.ts',
  'test/ai-sdk/loops.test.ts',
  'test/api/event-types.test.ts',
  'test/bench/imports.test.ts',
  'test/bundle.test.ts',
  'test/cli/completion/shells.test.ts',
  'test/cli/launch.test.ts',
  'test/cli/output.test.ts',
  'test/cli/trace.test.ts',
  'test/cli/transcript.test.ts',
  'test/complexity/complexity.test.ts',
  'test/deploy/*.test.ts',
  'test/docs/blocks.test.ts',
  'test/docs/connect.test.ts',
  'test/docs/examples.test.ts',
  'test/docs/first-run.test.ts',
  'test/docs/inline-names.test.ts',
  'test/engine/passed-secrets.test.ts',
  'test/fast-path/coalesce.test.ts',
  'test/fast-path/patterns/extra-fields.test.ts',
  'test/fast-path/repeated-fields.test.ts',
  'test/fetch/bundle.test.ts',
  'test/framing/long-messages.test.ts',
  'test/host/browser.test.ts',
  'test/host/explained-calls.test.ts',
  'test/host/clients/answer-model.test.ts',
  'test/host/clients/source-map.test.ts',
  'test/host/clients/token-counts.test.ts',
  'test/host/config/reload.test.ts',
  'test/host/openapi/document.test.ts',
  'test/host/recording/canaries.test.ts',
  'test/host/page/page.test.ts',
  'test/host/recording/commands.test.ts',
  'test/host/secret-sockets.test.ts',
  'test/host/serve.test.ts',
  'test/host/resume.test.ts',
  'test/host/server/any-signal.test.ts',
  'test/host/server/bombs.test.ts',
  'test/host/server/connections.test.ts',
  'test/host/server/failed-answer.test.ts',
  'test/host/upstream/affinity-lab.test.ts',
  'test/host/upstream/answer-ends.test.ts',
  'test/host/workers/serve-workers.test.ts',
  'test/host/server/blocked.test.ts',
  'test/host/server/stalled.test.ts',
  'test/host/server/body/any-body.test.ts',
  'test/host/check/lossy-proxies.test.ts',
  'test/host/check/own-server.test.ts',
  'test/host/server/websocket/slow-client.test.ts',
  'test/host/server/websocket/late-fallback.test.ts',
  'test/host/server/websocket/any-message.test.ts',
  'test/laws/borrowed-buffers.test.ts',
  'test/laws/dialect-roundtrip.test.ts',
  'test/laws/long-events.test.ts',
  'test/new-wire/new-wire.test.ts',
  'test/page/*.test.ts',
  'test/patterns.test.ts',
  'test/laws/slices.test.ts',
  'test/sdk-contract/behaviour*.test.ts',
  'test/sdk-contract/contract.test.ts',
  'test/sdk-contract/invented-values.test.ts',
  'test/sdk-contract/item-members.test.ts',
  'test/targets/fixtures.test.ts',
  'test/targets/threads.test.ts',
  'test/validation/any-*.test.ts',
]
const HOST = ['test/host/**/*.test.ts']
/** Tests of behaviour. `.ci/run` runs them by the server on one version of Node and by the fetch gateway on the other. */
const BEHAVIOUR = [
  'test/host/clients/!(clients|websocket-clients).test.ts',
  'test/host/hooks.test.ts',
  'test/host/search/!(search|turns).test.ts',
  'test/host/server/{answer-memory,cancellation,compressed-bodies,cors,model-lists,models,stream}.test.ts',
  'test/host/telemetry/!(cost|delivery|destinations|forward|metrics|stores|upstream-messages).test.ts',
  'test/host/upstream/!(answer-ends|batch-reads|end-time|fallback|http-transport|model-paths|pool|proxy|proxy-rules|retry|retry-budget|transport-error).test.ts',
]
/** Tests of behaviour with parts that only the server has, or with properties: both run them with all runs. */
const BEHAVIOUR_OF_BOTH = [
  'test/host/auth/rate-limit.test.ts',
  'test/host/clients/clients.test.ts',
  'test/host/crossed-features.test.ts',
  'test/host/search/{search,turns}.test.ts',
  'test/host/server/{cross-site,http-semantics,request-limits,requests}.test.ts',
  'test/host/telemetry/{cost,delivery,destinations,forward,upstream-messages}.test.ts',
  'test/host/upstream/{answer-ends,end-time,fallback,model-paths,pool,retry,retry-budget}.test.ts',
]

const runs = Number(process.env.RUNS ?? 1)
/** `RECORD_EXCHANGES=DIR` records what the gateways report, to compare two versions. */
const recording = process.env.RECORD_EXCHANGES === undefined ? [] : ['test/host/record-exchanges.ts']
const closing = [...recording, 'test/host/close-after-each.ts', 'test/host/use-node-door.ts']

const WITHOUT_PREFIX = new Set(builtinModules.filter((name) => !name.startsWith('node:')))
/** False for the modules that only some versions of Node have; `/^node:/` matches those as well. */
const isOfAllVersions = (name: string | RegExp): boolean =>
  typeof name !== 'string' || WITHOUT_PREFIX.has(name.replace('node:', ''))

/**
 * What decides how a module is transformed, besides its text: vitest keeps the result under all of it. It is the same for
 * both versions of Node in CI, and for `npm test`, so that later runs load what the first one has transformed.
 */
const transforming: Plugin = {
  name: 'transforming',
  configResolved: ({ configFileDependencies, environments }) => {
    const files = ['vitest.config.ts', 'tsconfig.json'].map((file) => fileURLToPath(new URL(file, import.meta.url)))
    configFileDependencies.splice(0, configFileDependencies.length, ...files)
    for (const { resolve } of Object.values(environments)) {
      resolve.builtins = resolve.builtins.filter(isOfAllVersions)
      if (Array.isArray(resolve.external)) resolve.external = resolve.external.filter(isOfAllVersions)
    }
  },
}

/** The project of `npm test`: `unit` and `host` in one, because each project starts workers, which load all modules. */
export const short = {
  extends: true as const,
  test: {
    name: 'short',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...CLIENTS, ...SLOW, ...RECORDINGS],
    setupFiles: closing,
  },
}

/** `npm test` runs `unit` and `host` by `vitest.short.config.ts`, `npm run test:all` everything. */
export default defineConfig({
  plugins: [transforming],
  test: {
    // No test judges by the clock: the bound of all is what ends one that waits for what never comes, on any machine.
    testTimeout: 300_000 * Math.max(1, runs),
    // A hook may bundle the project or start a server, on a machine that does other work.
    hookTimeout: 300_000,
    // On a busy machine, a process takes longer to end than the ten seconds after which Vitest reports it.
    teardownTimeout: 120_000,
    // The default of one second is short on a busy machine.
    expect: { poll: { timeout: 240_000 } },
    // Modules are loaded once a worker: most of them take longer to load than to test.
    isolate: false,
    // Transformed modules are kept below node_modules: later runs, and the further runs of CI, load them from there.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // More than there are cores: tests of the server wait for time-outs and other processes. Each takes 1.6 s to load.
    maxWorkers: 2 * availableParallelism(),
    // Most code runs a few times only, and takes less time compiled at its first call than interpreted, and more to be
    // optimized than it saves. The V8 of later versions has no such budget.
    execArgv: ['--always-sparkplug', ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : [])],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...HOST, ...CLIENTS, ...SLOW, ...RECORDINGS],
        },
      },
      {
        extends: true,
        test: {
          name: 'host',
          include: HOST,
          exclude: [...configDefaults.exclude, ...CLIENTS, ...SLOW],
          setupFiles: closing,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: HOST,
          exclude: [...configDefaults.exclude, ...CLIENTS, ...SLOW, ...BEHAVIOUR],
          setupFiles: closing,
        },
      },
      {
        extends: true,
        test: {
          name: 'doors',
          include: [...BEHAVIOUR, ...BEHAVIOUR_OF_BOTH],
          setupFiles: [...recording, 'test/host/close-after-each.ts', 'test/host/use-fetch-door.ts'],
        },
      },
      {
        extends: true,
        // One project, because workers are started for each.
        test: {
          name: 'slow',
          include: [...CLIENTS, ...SLOW, ...RECORDINGS],
          setupFiles: closing,
          globalSetup: 'test/bundled-program.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'runtimes',
          include: ['test/runtimes/*.runtimes.ts'],
          setupFiles: closing,
          globalSetup: 'test/runtimes/room.ts',
        },
      },
    ],
  },
})
