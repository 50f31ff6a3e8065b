import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Agent } from './agent.ts'
import { ONLY, writeResult } from './describe-agent.ts'
import { type FeatureName, isPossible, runFeature, wiresOf } from './features.ts'
import { claudeAgentSdk, claudeCode } from './programs/claude-code.ts'
import { BASE_URL, codex, codexSdk, HTTP, SIGNED_IN } from './programs/codex.ts'
import { geminiCli } from './programs/gemini-cli.ts'
import { CHAT, MESSAGES, opencode } from './programs/opencode.ts'

/** What each agent has beside the script of `describe-agent.ts`, over the wires whose upstreams differ most. */

const CELLS: readonly (readonly [Agent, readonly FeatureName[]])[] = [
  [codex(HTTP, 'gpt-6-sol'), ['sub-agent', 'silent upstream']],
  [codex(BASE_URL, 'gpt-6-sol'), ['sub-agent', 'silent upstream']],
  [codex(HTTP, 'a-model'), ['sub-agent', 'MCP', 'picture', 'web search']],
  [codex(SIGNED_IN, 'gpt-6-sol'), ['compressed bodies']],
  [claudeCode, ['sub-agent', 'MCP', 'picture', 'web search', 'silent upstream']],
  [claudeAgentSdk, ['sub-agent', 'MCP', 'picture']],
  [codexSdk(HTTP, 'gpt-6-sol'), ['sub-agent']],
  [geminiCli, ['MCP', 'picture', 'web search']],
  [opencode(CHAT), ['sub-agent', 'MCP', 'picture']],
  [opencode(MESSAGES), ['sub-agent', 'MCP', 'picture']],
]

describe.each(CELLS.map(([agent, features]) => ({ agent, features, title: agent.title })))(
  '$title',
  ({ agent, features }) => {
    for (const feature of features) {
      const wires = wiresOf(feature).filter((wire) => ONLY === undefined || ONLY.includes(wire))

      it.skipIf(!existsSync(agent.program) || !isPossible(feature)).each(wires)(
        `completes ${feature} over %s`,
        async (wire) => {
          const cell = await runFeature(agent, feature, wire)
          writeResult(`${agent.title}: ${feature}`, wire, cell)
          expect(cell.problems).toEqual({})
        },
      )
    }
  },
)
