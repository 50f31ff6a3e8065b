import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM, type Setup, sdkSession } from '../agent.ts'

const PROGRAM = installed(`@anthropic-ai/claude-code-${PLATFORM}/claude`)

const ALLOWED = ['Bash', 'Read', 'Edit', 'Agent', 'WebSearch', 'mcp__scripted']

const variablesOf = (setup: Setup): Readonly<Record<string, string>> => ({
  ...environmentOf(setup),
  CLAUDE_CONFIG_DIR: `${setup.home}/.claude`,
  ANTHROPIC_BASE_URL: `${setup.url}/api`,
  ANTHROPIC_API_KEY: setup.key,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // All tools are offered at once.
  ENABLE_TOOL_SEARCH: 'false',
  DISABLE_AUTOUPDATER: '1',
})

const serversOf = ({ mcp: [command, ...args] = [] }: Setup): object =>
  command === undefined ? {} : { scripted: { command, args } }

export const claudeCode: Agent = {
  title: 'Claude Code',
  program: PROGRAM,
  returned: ['signatures', 'text'],
  method: 'POST',
  compaction: '/compact',
  fullContext: 1000,
  async configure(setup) {
    const { home } = setup
    await mkdir(`${home}/.claude`, { recursive: true })
    await writeFile(`${home}/.claude.json`, JSON.stringify({ hasCompletedOnboarding: true }))
    await writeFile(`${home}/mcp.json`, JSON.stringify({ mcpServers: serversOf(setup) }))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: PROGRAM,
      args: [
        '--print',
        ...(isFirst ? [] : ['--continue']),
        '--allowedTools',
        ALLOWED.join(' '),
        '--mcp-config',
        `${setup.home}/mcp.json`,
        '--output-format',
        'stream-json',
        '--verbose',
        '--',
        prompt,
      ],
      env: variablesOf(setup),
      folder: setup.folder,
    }
  },
}

/** The same program, started by the library for it. */
export const claudeAgentSdk: Agent = {
  ...claudeCode,
  title: 'Claude Agent SDK',
  program: installed('@anthropic-ai/claude-agent-sdk/sdk.mjs'),
  commandOf: (setup, prompt, isFirst) => ({
    ...sdkSession('claude', claudeAgentSdk.program, PROGRAM, prompt, isFirst, {
      allowedTools: ALLOWED,
      mcpServers: serversOf(setup),
    }),
    env: variablesOf(setup),
    folder: setup.folder,
  }),
}
