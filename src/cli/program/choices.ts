import type { DialectName } from '../../dialects/dialect.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Choices } from './command.ts'

/** Whether a name is also one of a target. The registries would load every wire, which a help does not need. */
const WIRE_TARGETS: Readonly<Record<WireName, boolean>> = {
  'openai-chat': true,
  'openai-responses': true,
  'anthropic-messages': true,
  'gemini-generate': true,
  'gemini-interactions': true,
  'bedrock-converse': false,
  'cohere-chat': false,
  'ollama-chat': true,
}

const DIALECT_TARGETS: Readonly<Record<DialectName, true>> = { beta: true, openai: true }

/** The names of all wires. */
export const wireChoices: Choices = async () => Object.keys(WIRE_TARGETS)

/** The names of all dialects. */
export const dialectChoices: Choices = async () => Object.keys(DIALECT_TARGETS)

/** The names of all dialects and of the wires that have clients. */
export const targetChoices: Choices = async () => [
  ...Object.keys(DIALECT_TARGETS),
  ...Object.entries(WIRE_TARGETS).flatMap(([name, isTarget]) => (isTarget ? [name] : [])),
]

export const vendorChoices: Choices = async () => (await import('../../vendors/registry.ts')).VENDOR_NAMES

/** The names of the coding agents of `launch`, of which it starts some, and prints the settings of all. */
export const agentChoices: Choices = async () => [
  ...(await import('../launch/printed-settings.ts')).PRINTED_SETTINGS.keys(),
]
