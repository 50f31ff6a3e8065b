import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { testBehaviour } from './behaviour.ts'

/** The packages whose words take long have files of their own. */
testBehaviour(PACKAGES.filter(({ id }) => id !== 'openai' && id !== 'openrouter'))
