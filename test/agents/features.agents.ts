import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Agent } from './agent.ts'
import { ONLY, writeResult } from './describe-agent.ts'
import { type FeatureName, runFeature, wiresOf } from './features.ts'
import { claudeCode } from './programs/claude-code.ts'
import { BASE_URL, codex, HTTP } from './programs/codex.ts'
import { geminiCli } from './programs/gemini-cli.ts'
import { CHAT, MESSAGES, opencode } from './programs/opencode.ts'

/** What each agent has beside the script of `describe-agent.ts`, over the wires whose upstreams differ most. */

const CELLS: readonly (readonly [Agent, readonly FeatureName[]])[] = [
  [codex(HTTP, 'gpt-6-sol'), ['sub-agent', 'silent upstream']],
  [codex(BASE_URL, 'gpt-6-sol'), ['sub-agent', 'silent upstream']],
  [codex(HTTP, 'a-model'), ['sub-agent', 'MCP', 'picture', 'web search', 'silent upstream']],
  [claudeCode, ['sub-agent', 'MCP', 'picture', 'web search']],
  [geminiCli, ['MCP']],
  [opencode(CHAT), ['sub-agent', 'MCP', 'picture']],
  [opencode(MESSAGES), ['sub-agent', 'MCP', 'picture']],
]

describe.each(CELLS.map(([agent, features]) => ({ agent, features, title: agent.title })))(
  '$title',
  ({ agent, features }) => {
    const cells = features.flatMap((feature) =>
      wiresOf(feature)
        .filter((wire) => ONLY === undefined || ONLY.includes(wire))
        .map((wire) => [feature, wire] as const),
    )

    it.skipIf(!existsSync(agent.program)).each(cells)('completes %s over %s', async (feature, wire) => {
      const cell = await runFeature(agent, feature, wire)
      writeResult(`${agent.title}: ${feature}`, wire, cell)
      expect(cell.problems).toEqual({})
    })
  },
)
