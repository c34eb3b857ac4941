export { nodeNoticeHandler, type NodeRequest, type NodeResponse } from './node-notice-handler.ts';
