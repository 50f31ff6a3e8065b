import type { CheckedProtocol } from '../../api/check-server/protocols.ts'
import type { DialectName } from '../../dialects/dialect.ts'
import type { Choices } from './command.ts'

const DIALECT_TARGETS: Readonly<Record<DialectName, true>> = { beta: true, openai: true }

const hasClients = async (): Promise<Readonly<Record<string, boolean>>> =>
  (await import('../../wires/names.ts')).HAS_CLIENTS

export const wireChoices: Choices = async () => Object.keys(await hasClients())

const CHECKED: Readonly<Record<CheckedProtocol, true>> = {
  responses: true,
  chat: true,
  messages: true,
  gemini: true,
  ollama: true,
  interactions: true,
}

/** The names of the protocols of live servers. */
export const protocolChoices: Choices = async () => Object.keys(CHECKED)

/** The names of the requests of a check. */
export const checkRowChoices: Choices = async () =>
  (await import('../../api/check-server/check-server.ts')).checkRowNames()

export const dialectChoices: Choices = async () => Object.keys(DIALECT_TARGETS)

/** The names of all dialects and of the wires that have clients. */
export const clientChoices: Choices = async () => [
  ...Object.keys(DIALECT_TARGETS),
  ...Object.entries(await hasClients()).flatMap(([name, isTarget]) => (isTarget ? [name] : [])),
]

/** The same with the streams of user interfaces, which send no requests. */
export const targetChoices: Choices = async () => [
  ...(await clientChoices()),
  ...(await import('../../targets/names.ts')).FRONT_ENDS,
]

export const vendorChoices: Choices = async () => (await import('../../vendors/registry.ts')).VENDOR_NAMES

/** The names of the coding agents of `launch`, of which it starts some, and prints the settings of all. */
export const agentChoices: Choices = async () => [
  ...(await import('../launch/printed-settings.ts')).PRINTED_SETTINGS.keys(),
]

/** The gateways whose configuration is imported. */
export const importedChoices: Choices = async () => ['litellm', 'claude-code-router', 'portkey']
