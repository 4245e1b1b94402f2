export { ANY, Balancer, POLICIES, type PolicyName } from './balancer.ts'
export { ServerStates } from './server-states.ts'
export { textOfSet } from './upstream-server.ts'
