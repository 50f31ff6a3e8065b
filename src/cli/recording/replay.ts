import { configuredSecrets } from '../../gateway/auth/configured-secrets.ts'
import { createLibrary, type MatchMode } from '../../host/recording/exchange-library.ts'
import { readExchanges } from '../../host/recording/read-exchange.ts'
import { replayConfig, replayEnv } from '../../host/recording/replay-config.ts'
import { createReplay } from '../../host/recording/replay-transport.ts'
import { readWithoutVendors } from '../read-server-config.ts'
import { type ServeOptions, serve } from '../serve.ts'
import type { Streams } from '../streams.ts'

export interface ReplayServerOptions extends ServeOptions {
  /** Plays without the recorded delays. */
  readonly fast: boolean
  readonly match: MatchMode
}

/** Runs a server that answers from a folder of recordings, until a signal stops it. Resolves with the exit code. */
export function replay(
  folder: string,
  { fast, match, ...options }: ReplayServerOptions,
  { stderr }: Streams,
): Promise<number> {
  const { exchanges, problems, unanswered } = readExchanges(folder)
  for (const problem of problems) stderr.write(`millrace: ${problem}\n`)
  for (const name of unanswered) stderr.write(`millrace: ${name} is not played: its reader left before the answer.\n`)
  if (exchanges.length === 0)
    throw new Error(`"${folder}" has no recordings. Write some with millrace record --to DIR.`)
  const names = [...new Set(exchanges.map(({ settings: { vendor, model } }) => `${vendor}/${model}`))]
  return serve(
    options,
    (config, env, log) => ({
      config: replayConfig(config, env, exchanges),
      start: {
        env: replayEnv(env, exchanges),
        tap: createReplay(createLibrary(exchanges, match), {
          pace: fast ? 'fast' : 'recorded',
          secrets: configuredSecrets(config, env),
          onPlay: (recording, difference) =>
            log({ event: 'replayed', recording, ...(difference === null ? {} : { difference }) }),
        }),
      },
      notice: `${exchanges.length === 1 ? '1 recording' : `${exchanges.length} recordings`} of ${names.join(', ')}. No request leaves this machine.\n`,
      onStopped: async () => undefined,
    }),
    readWithoutVendors,
  )
}
