import { afterAll, afterEach, expect, vi } from 'vitest'
import { recordMetrics, writeFound } from './exchange-recorder.ts'

/**
 * Records every log line, trace, row of the page and metric of the tests in the folder RECORD_EXCHANGES, one file a
 * test file, so that two versions of the source can be compared with `diff -r`.
 */
const FOLDER = process.env.RECORD_EXCHANGES ?? ''

vi.mock('../../src/host/start.ts', async (original) => {
  const real = await original<typeof import('../../src/host/start.ts')>()
  const { recordingLog } = await import('./exchange-recorder.ts')
  const withLog = (options: Parameters<typeof real.start>[1] = {}) => ({
    ...options,
    log: recordingLog(options.log ?? (() => undefined)),
  })
  const start: typeof real.start = (input, options) => real.start(input, withLog(options))
  const startInGroup: typeof real.startInGroup = (input, options, group) =>
    real.startInGroup(input, withLog(options), group)
  return { ...real, start, startInGroup }
})

vi.mock('../../src/fetch/create-gateway.ts', async (original) => {
  const real = await original<typeof import('../../src/fetch/create-gateway.ts')>()
  const { recordingLog } = await import('./exchange-recorder.ts')
  const openFetchGateway: typeof real.openFetchGateway = (input, options, recordings) =>
    real.openFetchGateway(input, { ...options, log: recordingLog(options.log ?? (() => undefined)) }, recordings)
  return { ...real, openFetchGateway }
})

vi.mock('../../src/gateway/open-gateway.ts', async (original) => {
  const real = await original<typeof import('../../src/gateway/open-gateway.ts')>()
  const { recordingContext } = await import('./exchange-recorder.ts')
  const openGateway: typeof real.openGateway = (config, context, destinations) =>
    real.openGateway(config, recordingContext(context), destinations)
  return { ...real, openGateway }
})

vi.mock('../../src/observability/select.ts', async (original) => {
  const real = await original<typeof import('../../src/observability/select.ts')>()
  const { RECORDER, recordTrace } = await import('./exchange-recorder.ts')
  const destinationsFor: typeof real.destinationsFor = (...scope) => [...real.destinationsFor(...scope), RECORDER]
  const viewTrace: typeof real.viewTrace = (destination, trace) => {
    if (destination !== RECORDER) return real.viewTrace(destination, trace)
    recordTrace(trace)
    return null
  }
  return { ...real, destinationsFor, viewTrace }
})

afterEach(recordMetrics)

afterAll(() => writeFound(FOLDER, expect.getState().testPath ?? 'unknown'))
