export { nodeNoticeHandler, type NodeRequest, type NodeResponse } from './node-notice-handler.ts';
export { fileTokenStore } from './file-token-store.ts';
