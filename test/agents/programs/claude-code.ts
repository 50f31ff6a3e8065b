import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM } from '../agent.ts'

const PROGRAM = installed(`@anthropic-ai/claude-code-${PLATFORM}/claude`)

export const claudeCode: Agent = {
  title: 'Claude Code',
  program: PROGRAM,
  returned: ['signatures', 'text'],
  method: 'POST',
  compaction: '/compact',
  fullContext: 1000,
  async configure({ home, mcp }) {
    await mkdir(`${home}/.claude`, { recursive: true })
    await writeFile(`${home}/.claude.json`, JSON.stringify({ hasCompletedOnboarding: true }))
    const [command, ...args] = mcp ?? []
    const servers = command === undefined ? {} : { scripted: { command, args } }
    await writeFile(`${home}/mcp.json`, JSON.stringify({ mcpServers: servers }))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: PROGRAM,
      args: [
        '--print',
        ...(isFirst ? [] : ['--continue']),
        '--allowedTools',
        'Bash Read Edit Agent WebSearch mcp__scripted',
        '--mcp-config',
        `${setup.home}/mcp.json`,
        '--output-format',
        'stream-json',
        '--verbose',
        '--',
        prompt,
      ],
      env: {
        ...environmentOf(setup),
        CLAUDE_CONFIG_DIR: `${setup.home}/.claude`,
        ANTHROPIC_BASE_URL: `${setup.url}/api`,
        ANTHROPIC_API_KEY: setup.key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // All tools are offered at once.
        ENABLE_TOOL_SEARCH: 'false',
        DISABLE_AUTOUPDATER: '1',
      },
      folder: setup.folder,
    }
  },
}
