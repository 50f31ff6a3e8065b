import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../wires/with-kits.ts'

/** A vendor of a wire, and one of its models. */
interface AgentUpstream {
  readonly vendor: string
  readonly model: string
  /** Further wires of the vendor, which would be chosen for their own clients. */
  readonly wires?: Readonly<Record<string, false>>
}

/** The vendor that stands for each wire. Its row decides what is sent, as in a configuration of an operator. */
export const AGENT_UPSTREAMS: Readonly<Record<WireName, AgentUpstream>> = withKits(
  {
    'openai-chat': {
      vendor: 'openrouter',
      model: 'moonshotai/kimi-k2-thinking',
      wires: { 'openai-responses': false, 'anthropic-messages': false },
    },
    'openai-responses': { vendor: 'openai', model: 'gpt-6-sol' },
    'anthropic-messages': { vendor: 'anthropic', model: 'claude-sonnet-5-5' },
    'gemini-generate': { vendor: 'google', model: 'gemini-3-pro' },
    'bedrock-converse': { vendor: 'bedrock', model: 'us.anthropic.claude-sonnet-5-5-v1:0' },
    'cohere-chat': { vendor: 'cohere', model: 'command-a-plus-05-2026' },
    'ollama-chat': { vendor: 'ollama', model: 'gpt-oss:20b' },
  },
  ({ vendor, model }) => ({ vendor, model }),
)
