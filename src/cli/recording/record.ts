import { configuredSecrets } from '../../gateway/auth/configured-secrets.ts'
import { createRecorder, type Recorder, type RecorderOptions } from '../../host/recording/recorder.ts'
import { systemReason } from '../files/read-input.ts'
import { type ServeOptions, serve } from '../serve.ts'
import type { Streams } from '../streams.ts'

export interface RecordOptions extends ServeOptions {
  /** The folder of the recordings. */
  readonly to: string
}

/** Runs a server that records each exchange with an upstream, until a signal stops it. Resolves with the exit code. */
export async function record({ to, ...options }: RecordOptions, { stderr }: Streams): Promise<number> {
  let summary = ''
  const code = await serve(options, (config, env, log) => {
    const recorder = openRecorder({
      folder: to,
      secrets: configuredSecrets(config, env),
      onFailure: (exchange, reason) => log({ event: 'recording_failed', exchange, reason }),
    })
    return {
      start: { tap: recorder },
      notice: `Each exchange with an upstream is recorded in ${to}, without keys but with prompts and answers.\n`,
      async onStopped() {
        await recorder.close()
        summary = `millrace: recorded ${recorder.started === 1 ? '1 exchange' : `${recorder.started} exchanges`} in ${to}\n`
      },
    }
  })
  stderr.write(summary)
  return code
}

function openRecorder(options: RecorderOptions): Recorder {
  try {
    return createRecorder(options)
  } catch (error) {
    throw new Error(`record: --to "${options.folder}" cannot be created: ${systemReason(error)}.`)
  }
}
