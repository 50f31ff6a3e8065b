import { WebSocket } from 'ws'
import type { CheckedRow } from '../../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../../src/api/check-server/protocols.ts'
import type { CheckSocket } from '../../../src/api/check-server/websocket-rows.ts'
import { type MockOptions, openMock } from '../../../src/testing/mock/open-mock.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { whenDone } from '../test-server.ts'

/** The wire of each protocol, and its base URL below a mock and below this server. */
export const PROTOCOLS: Readonly<
  Record<CheckedProtocol, { readonly wire: WireName; readonly mock: string; readonly own: string }>
> = {
  responses: { wire: 'openai-responses', mock: '/v1', own: '/openai/v1' },
  chat: { wire: 'openai-chat', mock: '/v1', own: '/openai/v1' },
  messages: { wire: 'anthropic-messages', mock: '/v1', own: '/api/v1' },
  gemini: { wire: 'gemini-generate', mock: '/v1beta', own: '/openai/v1beta' },
  ollama: { wire: 'ollama-chat', mock: '', own: '/openai/v1' },
  interactions: { wire: 'gemini-interactions', mock: '/v1beta', own: '/openai/v1beta' },
}
export const PROTOCOL_NAMES = Object.keys(PROTOCOLS) as CheckedProtocol[]

export const openWebSocket = (url: string, headers: Readonly<Record<string, string>>): CheckSocket =>
  new WebSocket(url, { headers }) as unknown as CheckSocket

/** Opens a mock that closes after the test, and returns its URL. */
export async function startMock(options: MockOptions = {}): Promise<string> {
  const mock = await openMock(options)
  whenDone(mock.close)
  return mock.url
}

/** The mock's model for these rows. Only one of them is about the times of pieces, for which long answers take seconds. */
export const modelFor = (rows: readonly string[]): string => (rows.includes('long') ? 'script' : 'script+pace-0')

export const isFault = ({ status }: CheckedRow): boolean => status === 'failed' || status === 'warned'
