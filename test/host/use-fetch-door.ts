import { useDoor } from './doors.ts'

useDoor('fetch')
