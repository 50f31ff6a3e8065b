import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed } from '../agent.ts'

const PROGRAM = installed('@google/gemini-cli/bundle/gemini.js')

/** The part of the context window (1,048,576 tokens) at which Gemini CLI compresses the conversation. */
const THRESHOLD = 0.006

export const geminiCli: Agent = {
  title: 'Gemini CLI',
  program: PROGRAM,
  returned: ['signatures'],
  method: 'POST',
  compaction: null,
  fullContext: 200_000,
  async configure({ home, mcp }) {
    const [command, ...args] = mcp ?? []
    await mkdir(`${home}/.gemini`, { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      ...(command === undefined ? {} : { mcpServers: { scripted: { command, args, trust: true } } }),
      model: { compressionThreshold: THRESHOLD },
    }
    await writeFile(`${home}/.gemini/settings.json`, JSON.stringify(settings))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: process.execPath,
      args: [
        PROGRAM,
        ...(isFirst ? [] : ['--resume', 'latest']),
        '--approval-mode',
        'yolo',
        '--skip-trust',
        '--output-format',
        'json',
        '--prompt',
        prompt,
      ],
      env: {
        ...environmentOf(setup),
        GOOGLE_GEMINI_BASE_URL: `${setup.url}/api`,
        GEMINI_API_KEY: setup.key,
        GEMINI_TELEMETRY_ENABLED: 'false',
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
      folder: setup.folder,
    }
  },
}
