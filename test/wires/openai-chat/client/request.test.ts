import { testClientRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testClientRequests(REQUESTS)
