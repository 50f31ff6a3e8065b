/** The entry point `millrace/testing`: recordings in tests. Node only. */

export type { RecordedRequest } from './host/recording/exchange-format.ts'
export type { MatchMode } from './host/recording/exchange-library.ts'
export type { ReplayPace } from './host/recording/replay-transport.ts'
export { fixture, type RecordingPath } from './testing/load-recordings.ts'
export type { MockRequest } from './testing/loopback-server.ts'
export type { MockFault } from './testing/mock/fault-edits.ts'
export { MOCK_FAULTS } from './testing/mock/faults.ts'
export type { MockSettings } from './testing/mock/mock-settings.ts'
export { type MockedRequest, type MockOptions, openMock } from './testing/mock/open-mock.ts'
export type { Faults, MockAnswer } from './testing/mock-answer.ts'
export {
  type MockHandler,
  type MockUpstream,
  type MockUpstreamOptions,
  mockUpstream,
  on,
  once,
} from './testing/mock-upstream.ts'
export {
  type RecordMode,
  type RecordOnceOptions,
  type RecordOnceUpstream,
  recordOnce,
} from './testing/record-once.ts'
export {
  type ReplayedRecording,
  type ReplayRecordingOptions,
  replayRecording,
} from './testing/replay-recording.ts'
