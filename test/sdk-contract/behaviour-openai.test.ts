import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { testBehaviour } from './behaviour.ts'

testBehaviour(PACKAGES.filter(({ id }) => id === 'openai'))
